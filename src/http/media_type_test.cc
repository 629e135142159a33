#include "perch/http/media_type.h"

#include <gtest/gtest.h>

namespace perch::http {
namespace {

struct Row {
  const char* file;
  const char* type;
};

TEST(MediaType, ByExtension) {
  for (const Row& row : {
           Row{"index.html", "text/html; charset=utf-8"},
           {"/a/b/style.css", "text/css; charset=utf-8"},
           {"app.js", "text/javascript; charset=utf-8"},
           {"app.mjs", "text/javascript; charset=utf-8"},
           {"data.json", "application/json"},
           {"logo.svg", "image/svg+xml"},
           {"a.png", "image/png"},
           {"a.jpeg", "image/jpeg"},
           {"font.woff2", "font/woff2"},
           {"site.webmanifest", "application/manifest+json"},
           {"notes.txt", "text/plain; charset=utf-8"},
           {"module.wasm", "application/wasm"},
           {"clip.3gp", "video/3gpp"},
           {"x.zst", "application/zstd"},
           {"archive.tar.gz", "application/gzip"},
           {"notes.markdown", "text/markdown; charset=utf-8"},
           {"table.tsv", "text/tab-separated-values; charset=utf-8"},
           {"main.rs", "text/plain; charset=utf-8"},
           {"fix.patch", "text/x-diff; charset=utf-8"},
           {"log.ndjson", "application/x-ndjson"},
           {"route.gpx", "application/gpx+xml"},
           {"feed.xml", "application/xml"},
           {"photo.JFIF", "image/jpeg"},
           {"fonts.ttc", "font/collection"},
           {"setup.exe", "application/vnd.microsoft.portable-executable"},
       }) {
    EXPECT_EQ(media_type_of(row.file), row.type) << row.file;
  }
}

// JSON is UTF-8 by itself (RFC 8259), and XML says what it is: a charset there could only be wrong.
TEST(MediaType, OnlyTextHasACharset) {
  for (const char* file :
       {"a.json", "a.svg", "a.xml", "a.xhtml", "a.rss", "a.wasm", "a.pdf", "a.woff2"}) {
    EXPECT_EQ(media_type_of(file).find("charset"), std::string_view::npos) << file;
  }
  for (const char* file :
       {"a.html", "a.css", "a.js", "a.txt", "a.md", "a.csv", "a.vtt", "a.ics", "a.py"}) {
    EXPECT_TRUE(media_type_of(file).ends_with("; charset=utf-8")) << file;
  }
}

TEST(MediaType, CaseDoesNotMatter) {
  EXPECT_EQ(media_type_of("INDEX.HTML"), "text/html; charset=utf-8");
  EXPECT_EQ(media_type_of("a.Png"), "image/png");
}

TEST(MediaType, UnknownIsOctetStream) {
  for (const char* file : {"", "README", "a.", "a.b.", "a.unknown", "dir.html/file", "a.htmlx",
                           "a.averyveryverylongextension", "a.HTM\xc9"}) {
    EXPECT_EQ(media_type_of(file), "application/octet-stream") << file;
  }
}

}  // namespace
}  // namespace perch::http
