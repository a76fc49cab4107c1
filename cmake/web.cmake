# Embeds the files of the page at the admin address, telemetry/admin/web/*, and the runbook,
# docs/runbook.md as HTML, as one source file of scattergate_telemetry_admin. Each script is a module
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
execute_process(COMMAND "${CMARK}" "${runbook_file}" OUTPUT_VARIABLE runbook_html COMMAND_ERROR_IS_FATAL ANY)
# Headings get the anchors that GitHub gives them. Links to other pages become text, because the
# daemon doesn't serve these.
string(REGEX MATCHALL "<h[1-6]>[^<]*</h[1-6]>" headings "${runbook_html}")
foreach(heading IN LISTS headings)
  string(REGEX REPLACE "<[^>]*>" "" title "${heading}")
  string(TOLOWER "${title}" anchor)
  string(REGEX REPLACE "[^a-z0-9_ -]" "" anchor "${anchor}")
  string(REPLACE " " "-" anchor "${anchor}")
  string(REGEX REPLACE "^<(h[1-6])>" "<\\1 id=\"${anchor}\">" anchored "${heading}")
  string(REPLACE "${heading}" "${anchored}" runbook_html "${runbook_html}")
endforeach()
string(REGEX REPLACE "<a href=\"([^#\"][^\"]*)\">([^<]*)</a>" "\\2 (\\1)" runbook_html "${runbook_html}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${scripts} "${web_folder}/page.css" "${web_folder}/icon.svg" "${runbook_file}")
configure_file("${web_folder}/web_files.cpp.in" "${PROJECT_BINARY_DIR}/web_files.cpp" @ONLY)
target_sources(scattergate_telemetry_admin PRIVATE "${PROJECT_BINARY_DIR}/web_files.cpp")
