// The precompiled header of the unit tests: the headers of rooms.hpp, and GoogleTest.
#include <filesystem>
#include <fstream>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmake/precompiled/rooms.hpp"
