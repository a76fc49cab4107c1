# The build's dependencies, one per row, with the oldest version that is tested (that of Debian 12)
# and Debian's package. The global property unmet_dependencies gets a line for each that is missing
# or too old.

function(scattergate_unmet name oldest debian found)
  if(NOT found)
    set(found none)
  endif()
  # CMake wraps no line that starts with a space.
  set_property(GLOBAL APPEND_STRING PROPERTY unmet_dependencies
    " scattergate needs ${name} >= ${oldest} (Debian: ${debian}); found ${found}. Run scripts/install-deps.\n")
endfunction()

# scattergate_package(NAME OLDEST DEBIAN [further arguments of find_package]): a macro, because what
# find_package sets (Python3_EXECUTABLE) is for the caller.
macro(scattergate_package name oldest debian)
  find_package(${name} ${oldest} QUIET ${ARGN})
  if(NOT ${name}_FOUND)
    string(TOUPPER ${name} upper)
    set(found ${${name}_CONSIDERED_VERSIONS} ${${upper}_VERSION} ${${upper}_VERSION_STRING})
    list(REMOVE_DUPLICATES found)
    scattergate_unmet(${name} ${oldest} "${debian}" "${found}")
  endif()
endmacro()

# scattergate_module(NAME OLDEST DEBIAN MODULES...): the target PkgConfig::NAME is the first of these
# modules of pkg-config that is new enough.
function(scattergate_module name oldest debian)
  list(TRANSFORM ARGN APPEND ">=${oldest}" OUTPUT_VARIABLE new_enough)
  pkg_search_module(${name} QUIET IMPORTED_TARGET ${new_enough})
  if(NOT ${name}_FOUND)
    pkg_search_module(any_${name} QUIET ${ARGN})
    scattergate_unmet(${name} ${oldest} ${debian} "${any_${name}_VERSION}")
  endif()
endfunction()

function(scattergate_compiler oldest_gcc oldest_clang)
  set(found "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS oldest_gcc)
    scattergate_unmet(g++ ${oldest_gcc} g++ "${found}")
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS oldest_clang)
    scattergate_unmet(clang++ ${oldest_clang} clang "${found}")
  endif()
endfunction()

scattergate_compiler(12 14)
find_package(PkgConfig 1.8 QUIET)
if(NOT PkgConfig_FOUND)
  scattergate_unmet(pkg-config 1.8 pkg-config "${PKG_CONFIG_VERSION_STRING}")
  return()  # It finds most of the others.
endif()
find_package(Threads REQUIRED)
find_program(CMARK cmark)
if(NOT CMARK)
  scattergate_unmet(cmark 0.30 cmark none)
endif()
scattergate_package(Boost 1.81 "libboost-json-dev, or in Debian 12 libboost-json1.81-dev"
                    CONFIG COMPONENTS headers json)
scattergate_package(CLI11 2.1 libcli11-dev CONFIG)
scattergate_package(OpenSSL 3.0 libssl-dev)
scattergate_package(spdlog 1.10 libspdlog-dev CONFIG)
scattergate_package(yaml-cpp 0.7 libyaml-cpp-dev CONFIG)
scattergate_package(ZLIB 1.2 zlib1g-dev)
scattergate_module(libbson 1.23 libbson-dev bson2 libbson-1.0)
scattergate_module(libdeflate 1.14 libdeflate-dev libdeflate)
scattergate_module(libmongoc 1.23 libmongoc-dev mongoc2 libmongoc-1.0)
scattergate_module(libpcap 1.10 libpcap-dev libpcap)
scattergate_module(simdjson 3.0 libsimdjson-dev simdjson)
scattergate_module(snappy 1.1 libsnappy-dev snappy)
scattergate_module(libzstd 1.5 libzstd-dev libzstd)
scattergate_module(liburing 2.3 liburing-dev liburing)
if(SCATTERGATE_TESTS)
  scattergate_package(benchmark 1.7 libbenchmark-dev CONFIG)
  scattergate_package(GTest 1.12 libgtest-dev CONFIG)
  scattergate_module(prometheus-cpp 1.0 prometheus-cpp-dev prometheus-cpp-core)
  scattergate_module(gmock 1.12 libgmock-dev gmock)
  scattergate_package(Python3 3.11 python3 COMPONENTS Interpreter)
endif()
