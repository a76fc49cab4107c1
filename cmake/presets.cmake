# The catalog presets, config/presets/*.yaml, as one source file of the room config.

file(GLOB preset_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/config/presets/*.yaml")
set(preset_entries "")
foreach(file IN LISTS preset_files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  get_filename_component(name "${file}" NAME)
  string(REGEX REPLACE "\\.yaml$" "" name "${name}")
  file(READ "${file}" text)
  string(APPEND preset_entries "    {\"${name}\", R\"yaml(${text})yaml\"},\n")
endforeach()
configure_file("${PROJECT_SOURCE_DIR}/config/presets/presets.cpp.in"
               "${PROJECT_BINARY_DIR}/presets.cpp" @ONLY)
target_sources(scattergate_config PRIVATE "${PROJECT_BINARY_DIR}/presets.cpp")
