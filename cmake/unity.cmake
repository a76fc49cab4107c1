# Unity build: files of one folder are compiled together, eight at most, so that the headers that
# they share are read once. A file-local name is therefore unique in its folder. The preset `no-pch`
# compiles each file by itself, and finds missing includes.
option(CMAKE_UNITY_BUILD "Compile the files of a folder together" ON)

# A local name may be that of another file's function, and a class defined in a .cpp file may have
# members of types that only this file knows.
set(scattergate_unity_warnings -Wshadow)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(scattergate_unity_warnings -Wshadow=local -Wno-subobject-linkage)
endif()

# scattergate_join_files(TARGET): of the files that the target has so far.
function(scattergate_join_files target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  set(folders)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    list(APPEND folders "${folder}")
    list(APPEND "files_of_${folder}" "${source}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    set(files "${files_of_${folder}}")
    list(LENGTH files count)
    math(EXPR units "(${count} + 7) / 8")
    math(EXPR size "(${count} + ${units} - 1) / ${units}")
    string(REPLACE "/" "_" group "${folder}")
    set(index 0)
    foreach(file IN LISTS files)
      math(EXPR unit "${index} / ${size}")
      set_property(SOURCE "${file}" PROPERTY UNITY_GROUP "${group}_${unit}")
      math(EXPR index "${index} + 1")
    endforeach()
  endforeach()
endfunction()
