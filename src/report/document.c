/* Writing the frame of a page. */
#include "report/document.h"

#include <string.h>
#include <trammel/report.h>

#include "report/page.h"

static void write_pieces(trm_output *output, const char *const *pieces) {
  for (; *pieces; pieces++) trm_output_text(output, *pieces);
}

void trm_document_text(trm_output *output, const char *text) {
  for (; *text; text++) switch (*text) {
    case '<': trm_output_text(output, "&lt;"); break;
    case '&': trm_output_text(output, "&amp;"); break;
    default: trm_output_write(output, text, 1);
    }
}

void trm_document_begin(trm_output *output, const char *title) {
  trm_output_text(output, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                          "<title>");
  trm_document_text(output, title);
  trm_output_text(output, "</title>\n");
  write_pieces(output, trm_page_head);
}

static void open_script(trm_output *output, const char *id) {
  trm_output_text(output, "<script type=\"application/json\" id=\"");
  trm_output_text(output, id);
  trm_output_text(output, "\">");
}

void trm_document_open_object(trm_output *output, trm_json *json, const char *id) {
  open_script(output, id);
  trm_json_begin(json, output);
  json->html = true;
}

void trm_document_close_object(trm_output *output, trm_json *json) {
  trm_json_end(json);
  trm_output_text(output, "</script>\n");
}

/* '<' stands in strings only; as it is, it might end the script: </script>, <!-- */
void trm_document_json(trm_output *output, const char *text) {
  for (const char *less; (less = strchr(text, '<')); text = less + 1) {
    trm_output_write(output, text, (size_t)(less - text));
    trm_output_text(output, "\\u003c");
  }
  trm_output_text(output, text);
}

void trm_document_copy_object(trm_output *output, const char *id, const char *text) {
  open_script(output, id);
  trm_document_json(output, text);
  trm_output_text(output, "</script>\n");
}

void trm_document_end(trm_output *output) {
  write_pieces(output, trm_page_tail);
}

bool trm_report_has_page(void) {
  return trm_page_tail[0] != NULL && trm_page_tail[1] != NULL;
}
