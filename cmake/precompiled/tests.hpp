// Precompiled for the unit tests: the rooms' headers and GoogleTest.
#include <filesystem>
#include <fstream>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmake/precompiled/rooms.hpp"
