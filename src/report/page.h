/* The page that `web/` is built into, cut where the data goes; see cmake/web.cmake. */
#ifndef TRM_REPORT_PAGE_H
#define TRM_REPORT_PAGE_H

extern const char *const trm_page_head[]; /* pieces, NULL at the end */
extern const char *const trm_page_tail[];

#endif
