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
       }) {
    EXPECT_EQ(media_type_of(row.file), row.type) << row.file;
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
