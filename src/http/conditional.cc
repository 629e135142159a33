#include "perch/http/conditional.h"

#include <optional>

#include "perch/http/date.h"

namespace perch::http {
namespace {

enum class Comparison : std::uint8_t { kStrong, kWeak };

// The conditional fields of a request. Counts are of field lines.
struct Conditions {
  int if_match = 0;
  int if_none_match = 0;
  int if_modified_since = 0;
  int if_unmodified_since = 0;
};

Conditions conditions_of(const Fields& request) {
  Conditions found;
  for (const Field& field : request) {
    if (!field.name.starts_with("if-")) continue;
    if (field.name == "if-match") ++found.if_match;
    if (field.name == "if-none-match") ++found.if_none_match;
    if (field.name == "if-modified-since") ++found.if_modified_since;
    if (field.name == "if-unmodified-since") ++found.if_unmodified_since;
  }
  return found;
}

bool is_etag_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0x21 || (byte >= 0x23 && byte != 0x7f);
}

struct EntityTag {
  std::string_view opaque;  // with its quotes
  bool weak;
};

// Cuts the entity tag at the beginning of `text` off; nothing where there is none.
std::optional<EntityTag> take_entity_tag(std::string_view& text) {
  const bool weak = text.starts_with("W/");
  const std::string_view opaque = text.substr(weak ? 2 : 0);
  if (!opaque.starts_with('"')) return std::nullopt;
  std::size_t end = 1;
  while (end < opaque.size() && is_etag_character(opaque[end])) ++end;
  if (end == opaque.size() || opaque[end] != '"') return std::nullopt;
  text = opaque.substr(end + 1);
  return EntityTag{opaque.substr(0, end + 1), weak};
}

void skip_blanks(std::string_view& text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
}

// Whether one line of If-Match or If-None-Match lists `own`. What follows a malformed member is
// not looked at.
bool lists(std::string_view line, std::string_view own, Comparison comparison) {
  const auto own_tag = take_entity_tag(own);
  if (!own_tag) return false;
  if (comparison == Comparison::kStrong && own_tag->weak) return false;
  for (;;) {
    skip_blanks(line);
    if (line.starts_with(',')) {  // an empty member
      line.remove_prefix(1);
      continue;
    }
    const auto tag = take_entity_tag(line);
    if (!tag) return false;
    const bool comparable = comparison == Comparison::kWeak || !tag->weak;
    skip_blanks(line);
    if (!line.empty() && !line.starts_with(',')) return false;
    if (comparable && tag->opaque == own_tag->opaque) return true;
  }
}

// `lines` is how many lines of that name there are: "*" counts only when it is alone.
bool matches(const Fields& request, std::string_view name, int lines, std::string_view etag,
             Comparison comparison) {
  for (const Field& field : request) {
    if (field.name != name) continue;
    if (lines == 1 && field.value == "*") return true;
    if (lists(field.value, etag, comparison)) return true;
  }
  return false;
}

std::optional<std::int64_t> date_of(const Fields& request, std::string_view name, int lines,
                                    std::int64_t now) {
  if (lines != 1) return std::nullopt;
  return parse_date(*request.get(name), now);
}

bool selects_a_representation(Method method) {
  return method != Method::kConnect && method != Method::kOptions && method != Method::kTrace;
}

}  // namespace

ConditionalFields conditional_fields(const Fields& request) {
  ConditionalFields found;
  for (const Field& field : request) {
    if (field.name.starts_with("if-")) found.preconditions = true;
    if (field.name == "range") found.range = true;
  }
  return found;
}

Precondition evaluate(Method method, const Fields& request, const Validators& validators,
                      std::int64_t now_unix_seconds) {
  const Conditions found = conditions_of(request);
  if (!selects_a_representation(method)) return Precondition::kProceed;
  const bool reads = method == Method::kGet || method == Method::kHead;
  const bool dated = validators.last_modified >= 0;

  if (found.if_match > 0) {
    if (!matches(request, "if-match", found.if_match, validators.etag, Comparison::kStrong)) {
      return Precondition::kFailed;
    }
  } else if (found.if_unmodified_since > 0 && dated) {
    const auto date =
        date_of(request, "if-unmodified-since", found.if_unmodified_since, now_unix_seconds);
    if (date && validators.last_modified > *date) return Precondition::kFailed;
  }

  if (found.if_none_match > 0) {
    if (matches(request, "if-none-match", found.if_none_match, validators.etag,
                Comparison::kWeak)) {
      return reads ? Precondition::kNotModified : Precondition::kFailed;
    }
  } else if (found.if_modified_since > 0 && dated && reads) {
    const auto date =
        date_of(request, "if-modified-since", found.if_modified_since, now_unix_seconds);
    if (date && validators.last_modified <= *date) return Precondition::kNotModified;
  }
  return Precondition::kProceed;
}

bool range_applies(const Fields& request, const Validators& validators,
                   std::int64_t now_unix_seconds) {
  std::optional<std::string_view> condition;
  for (const Field& field : request) {
    if (field.name != "if-range") continue;
    if (condition) return false;
    condition = field.value;
  }
  if (!condition) return true;
  if (condition->starts_with('"')) return *condition == validators.etag;
  const auto date = parse_date(*condition, now_unix_seconds);
  // Of a younger one a second change within its second could have gone unseen (section 8.8.2.2).
  return date && validators.last_modified >= 0 && *date == validators.last_modified &&
         validators.last_modified < now_unix_seconds;
}

}  // namespace perch::http
