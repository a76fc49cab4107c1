// What CMake compiles a precompiled header with.
