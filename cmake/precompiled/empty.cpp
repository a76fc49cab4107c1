// The source file that CMake needs to compile a precompiled header.
