# Shared by all rooms: the warnings, and the shape of a room's library.

# Uses ccache if it is installed, also for files that another clone or build folder has compiled.
# Debugging information names files relative to the build folder for it.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache needs the sloppiness for precompiled headers: no file here depends on the time, nor
  # defines a macro before the precompiled header. The cache of inodes keeps it from reading the
  # precompiled header, 90 MB, for each object. In depend mode ccache takes the list of headers from
  # the compiler and doesn't preprocess first.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
      "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_INODECACHE=1 CCACHE_DEPEND=1
      "${CCACHE}")
endif()

include(unity)

add_library(scattergate_flags INTERFACE)
target_compile_options(scattergate_flags INTERFACE
  -Wall -Wextra -Wconversion ${scattergate_unity_warnings} -Wnon-virtual-dtor -Wold-style-cast
  # g++ 12 sees overlaps in std::string's own code that are none (gcc bug 105651), and sizes
  # below zero where two vectors of bytes are compared.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>)
target_include_directories(scattergate_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(scattergate_flags INTERFACE
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION)
target_link_libraries(scattergate_flags INTERFACE Threads::Threads)
include(hardening)
include(precompiled)

# Asio and Beast are compiled separately (see the definitions above), in this one library.
# A room that includes them links it.
add_library(scattergate_asio STATIC "${PROJECT_SOURCE_DIR}/cmake/asio_src.cpp")
target_link_libraries(scattergate_asio
  PUBLIC Boost::headers Threads::Threads OpenSSL::SSL PRIVATE scattergate_flags)
# No command passes through it.
target_compile_options(scattergate_asio PRIVATE ${scattergate_light_options})

# scattergate_room(NAME [LIGHTLY] [PRECOMPILED name] [PARTS folders...] LINKS targets...): the library
# of the folder NAME, made of every .cpp file in it and in its sub-folders. What is in programs/ is
# built for itself. A part is a sub-folder that is a library of its own, NAME_PART: one that a test
# links without the rest of its room, or that is built with other options.
function(scattergate_room name)
  cmake_parse_arguments(ROOM "LIGHTLY" "PRECOMPILED" "PARTS;LINKS" ${ARGN})
  file(GLOB_RECURSE sources RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS
       "${PROJECT_SOURCE_DIR}/${name}/*.cpp")
  foreach(folder IN ITEMS programs ${ROOM_PARTS})
    list(FILTER sources EXCLUDE REGEX "^${name}/${folder}/")
  endforeach()
  string(REPLACE "/" "_" name "${name}")
  if(NOT sources)
    add_library(scattergate_${name} INTERFACE)
    return()
  endif()
  add_library(scattergate_${name} STATIC ${sources})
  scattergate_join_files(scattergate_${name})
  target_link_libraries(scattergate_${name} PUBLIC ${ROOM_LINKS} PRIVATE scattergate_flags)
  if(ROOM_LIGHTLY)
    scattergate_build_lightly(scattergate_${name})
  elseif(ROOM_PRECOMPILED)
    scattergate_use_precompiled(scattergate_${name} ${ROOM_PRECOMPILED})
  else()
    scattergate_use_precompiled(scattergate_${name} rooms)
  endif()
endfunction()

# scattergate_program(NAME [LIGHTLY] SOURCES files... LINKS targets...)
function(scattergate_program name)
  cmake_parse_arguments(PROGRAM "LIGHTLY" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${PROGRAM_SOURCES})
  scattergate_join_files(${name})
  target_link_libraries(${name} PRIVATE scattergate_flags ${PROGRAM_LINKS})
  if(PROGRAM_LIGHTLY)
    scattergate_build_lightly(${name})
  else()
    scattergate_use_precompiled(${name} rooms)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endfunction()
