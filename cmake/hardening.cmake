# Compiler and linker hardening; tests/house/hardening_test.py looks for all of it in the program.
# Judging a command takes some 4 % more instructions for it (bench/instructions).

target_compile_options(scattergate_flags INTERFACE
  -fPIE -fstack-protector-strong -fstack-clash-protection)
target_link_options(scattergate_flags INTERFACE
  -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(scattergate_flags INTERFACE -fcf-protection)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  target_compile_options(scattergate_flags INTERFACE -mbranch-protection=standard)
endif()

# Bounds of the standard library's containers.
target_compile_definitions(scattergate_flags INTERFACE _GLIBCXX_ASSERTIONS)

# Needs an optimising build; level 3 came with g++ 12 and, in glibc's headers, clang 9.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  set(fortify_level 2)
else()
  set(fortify_level 3)
endif()
target_compile_options(scattergate_flags INTERFACE
  $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${fortify_level}>)
