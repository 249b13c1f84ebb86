/* In place of the page where it could not be built: says so, and shows the summary as it is. */
#include "report/page.h"

#include <stddef.h>

const char *const trm_page_head[] = {
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 "
    "1rem;"
    "color-scheme:light dark}pre{overflow:auto}</style>\n</head>\n<body>\n",
    NULL};

const char *const trm_page_tail[] = {
    "<h1 id=\"title\"></h1>\n"
    "<p><strong>No animation and no plots:</strong> this Trammel was built without Node.js and "
    "npm, which "
    "build the page. Install them (Debian: <code>apt-get install nodejs npm</code>), build again, "
    "and run "
    "again. The numbers are in <code>results.csv</code> and <code>summary.json</code> beside this "
    "file; "
    "the data of the animation is in this file: <code>trammel film</code> can draw it.</p>\n"
    "<pre id=\"summary\"></pre>\n"
    "<script>\n"
    "const data = JSON.parse(document.getElementById('data').textContent);\n"
    "document.getElementById('title').textContent = document.title;\n"
    "document.getElementById('summary').textContent = JSON.stringify(data.summary || data, null, "
    "2);\n"
    "</script>\n</body>\n</html>\n",
    NULL};
