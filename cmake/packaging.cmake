# The installed files with their places, and the Debian package:
#   cpack --config build/release/CPackConfig.cmake -B build/package

include(GNUInstallDirs)
set(share "${CMAKE_INSTALL_DATADIR}/scattergate")

# `cmake --install`: the program, what it ships for Prometheus and Grafana, and its manual.
install(TARGETS scattergate RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
install(FILES deploy/man/scattergate.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
        COMPONENT program)
# Installs the completion scripts that the program prints, where each shell expects them. (In a
# function, so that its variables don't leak into the rest of the script.)
install(CODE [[
  function(install_completion shell place)
    set(completion "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/${place}")
    cmake_path(GET completion PARENT_PATH folder)
    file(MAKE_DIRECTORY "${folder}")
    execute_process(COMMAND "$<TARGET_FILE:scattergate>" completion "${shell}"
                    OUTPUT_FILE "${completion}" COMMAND_ERROR_IS_FATAL ANY)
  endfunction()
  install_completion(bash bash-completion/completions/scattergate)
  install_completion(zsh zsh/vendor-completions/_scattergate)
  install_completion(fish fish/vendor_completions.d/scattergate.fish)
]] COMPONENT program)
install(FILES deploy/prometheus/rules.yml deploy/prometheus/rules_test.yml
        DESTINATION "${share}/prometheus" COMPONENT program)
install(FILES deploy/grafana/dashboard.json DESTINATION "${share}/grafana" COMPONENT program)
install(FILES deploy/log-pipelines/ecs.jq deploy/log-pipelines/otel.jq
        DESTINATION "${share}/log-pipelines" COMPONENT program)
install(DIRECTORY deploy/callsites DESTINATION "${share}" COMPONENT program
        PATTERN __pycache__ EXCLUDE)
# The documents, in the repository's folders, so that their links work.
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT program)
foreach(document README.md CONTRIBUTING.md LICENSE bench/README.md tests/soak/README.md
                 deploy/prometheus/prometheus.yml deploy/prometheus/rules.yml)
  cmake_path(GET document PARENT_PATH folder)
  install(FILES ${document} DESTINATION "${CMAKE_INSTALL_DOCDIR}/${folder}" COMPONENT program)
endforeach()

# The package alone: what belongs to a system, at its fixed places.
install(FILES deploy/systemd/scattergate.service deploy/systemd/scattergate.socket
        DESTINATION lib/systemd/system COMPONENT system EXCLUDE_FROM_ALL)
install(FILES deploy/scattergate.yaml DESTINATION /etc/scattergate
        COMPONENT system EXCLUDE_FROM_ALL)
install(FILES deploy/logrotate/scattergate DESTINATION /etc/logrotate.d
        COMPONENT system EXCLUDE_FROM_ALL)
install(FILES deploy/debian/copyright deploy/debian/changelog DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        COMPONENT system EXCLUDE_FROM_ALL)
install(CODE [[execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND gzip -9nf
                               "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/man/man1/scattergate.1"
                               "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/doc/scattergate/changelog")]]
        COMPONENT system EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL program system)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_SET_DESTDIR ON)  # for /etc
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_NAME scattergate)
set(CPACK_PACKAGE_CONTACT "The scattergate maintainers <maintainers@scattergate.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "sidecar that predicts how mongos routes MongoDB commands")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "scattergate sits between an application and mongos, the router of a sharded
MongoDB cluster. It predicts for every command which shards mongos will ask,
counts that per collection for Prometheus, and writes an audit log of the
query shapes that go to all shards because they omit the shard key.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates, logrotate")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    "${PROJECT_SOURCE_DIR}/deploy/debian/postinst;${PROJECT_SOURCE_DIR}/deploy/debian/prerm;${PROJECT_SOURCE_DIR}/deploy/debian/postrm;${PROJECT_SOURCE_DIR}/deploy/debian/conffiles")
include(CPack)
