# The page of the reports: web/ bundled by esbuild into a C file. Without Node: web/plain.c.
option(TRM_PAGE "Build the reports' page (needs node and npm)" ON)

find_program(TRM_NODE NAMES node nodejs)
find_program(TRM_NPM npm)
set(trm_page ${PROJECT_SOURCE_DIR}/web/plain.c)
if(TRM_PAGE AND TRM_NODE AND TRM_NPM)
  set(trm_page ${PROJECT_BINARY_DIR}/web/page.c)
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS web/src/* docs/theory/*.md)
  add_custom_command(
    OUTPUT ${trm_page}
    DEPENDS ${web_sources} web/build.mjs web/package.json web/package-lock.json cmake/bundle.cmake
            web/plain.c
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/web -DBUILD=${PROJECT_BINARY_DIR}/web
            -DNODE=${TRM_NODE} -DNPM=${TRM_NPM} -P ${PROJECT_SOURCE_DIR}/cmake/bundle.cmake
    COMMENT "Building the reports' page" VERBATIM)
elseif(TRM_PAGE)
  message(WARNING "node or npm is missing: reports will have neither animation nor plots")
endif()
