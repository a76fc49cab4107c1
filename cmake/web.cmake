# Embeds the files of the page at the admin address, telemetry/admin/web/*, and the runbook,
# docs/runbook.md, as one source file of scattergate_telemetry_admin. Each script is a module
# (ECMAScript) in a file of its own.

set(web_folder "${PROJECT_SOURCE_DIR}/telemetry/admin/web")
file(GLOB scripts CONFIGURE_DEPENDS "${web_folder}/*.js")
set(web_scripts "")
foreach(file IN LISTS scripts)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND web_scripts "    {\"/${name}\", script_type, R\"web(${text})web\"},\n")
endforeach()
file(READ "${web_folder}/page.css" page_css)
file(READ "${web_folder}/icon.svg" icon_svg)
set(runbook_file "${PROJECT_SOURCE_DIR}/docs/runbook.md")
file(READ "${runbook_file}" runbook_md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${scripts} "${web_folder}/page.css" "${web_folder}/icon.svg" "${runbook_file}")
configure_file("${web_folder}/web_files.cpp.in" "${PROJECT_BINARY_DIR}/web_files.cpp" @ONLY)
target_sources(scattergate_telemetry_admin PRIVATE "${PROJECT_BINARY_DIR}/web_files.cpp")
