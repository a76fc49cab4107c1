# Precompiled headers. Reading headers is two thirds of what compiling a file costs. The compiler
# takes a precompiled header only under the options that it was made with, so there is one for
# each set of options. CMAKE_DISABLE_PRECOMPILE_HEADERS=ON (preset `no-pch`) builds without them.

# In a precompiled header g++ 12 forgets which headers are the system's, and then sees
# std::string's own code overflow. The preset `no-pch` keeps these warnings.
if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  target_compile_options(scattergate_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow> $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>)
endif()

# scattergate_precompile(NAME HEADER file [OPTIONS options...] [LINKS targets...])
function(scattergate_precompile name)
  cmake_parse_arguments(PCH "" "HEADER" "OPTIONS;LINKS" ${ARGN})
  # A header needs a target with a source to be compiled by.
  add_library(scattergate_pch_${name} OBJECT "${PROJECT_SOURCE_DIR}/cmake/precompiled/empty.cpp")
  target_link_libraries(scattergate_pch_${name} PRIVATE scattergate_flags Boost::headers ${PCH_LINKS})
  target_compile_options(scattergate_pch_${name} PRIVATE ${PCH_OPTIONS})
  # By a name without the source folder in it, so that ccache serves another clone.
  target_precompile_headers(scattergate_pch_${name} PRIVATE "<cmake/precompiled/${PCH_HEADER}>")
endfunction()

scattergate_precompile(rooms HEADER rooms.hpp)
scattergate_precompile(proxy HEADER proxy.hpp LINKS scattergate_telemetry)

# Code that no command passes through needn't be fast: g++ takes a fifth to a third less at -O1,
# where it sees vectors overflow as they grow. Under sanitizers -O0 takes half of what -O1 takes.
set(scattergate_light_options $<IF:$<CONFIG:Release>,-O1,-O0> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
scattergate_precompile(light HEADER rooms.hpp OPTIONS ${scattergate_light_options})

# scattergate_build_lightly(TARGET): with these options, and their precompiled header.
function(scattergate_build_lightly target)
  target_compile_options(${target} PRIVATE ${scattergate_light_options})
  scattergate_use_precompiled(${target} light)
endfunction()

# scattergate_use_precompiled(TARGET NAME)
function(scattergate_use_precompiled target name)
  target_precompile_headers(${target} REUSE_FROM scattergate_pch_${name})
endfunction()
