// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/artifact/tuning.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <utility>

#include "partita/artifact/target_format.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "runtime/artifact/library_fields.hpp"

namespace partita {
namespace {

constexpr std::string_view format_name = "partita tuning";
constexpr std::string_view form_names[] = {"nn", "nt", "tn", "tt"};

}  // namespace

std::string_view to_string(ContractionForm form) { return form_names[std::size_t(form)]; }

ContractionForm contraction_form(bool transpose_a, bool transpose_b) {
  return ContractionForm((transpose_a ? 2 : 0) + (transpose_b ? 1 : 0));
}

static boost::json::value to_json(ContractionForm form) {
  return boost::json::string(to_string(form));
}

static void from_json(const boost::json::value& value, ContractionForm& form,
                      const json::Path& path) {
  const std::string text = json::Reader::string(value, path);
  for (std::size_t i = 0; i < std::size(form_names); ++i)
    if (text == form_names[i]) {
      form = ContractionForm(i);
      return;
    }
  throw_user_error(cat("expected nn, nt, tn or tt, found '", text, "'"), {.file = path.text()});
}

template <class A>
void fields(A& a, Ref<A, TileSize> x) {
  a("vector_bytes", x.vector_bytes);
  a("rows", x.rows);
  a("vectors", x.vectors);
}

template <class A>
void fields(A& a, Ref<A, Timing> x) {
  a("median_ns", x.median_ns);
  a("spread_permille", x.spread_permille);
  a("turns", x.turns);
}

template <class A>
void fields(A& a, Ref<A, TimedTile> x) {
  fields(a, x.tile);
  fields(a, x.time);
}

template <class A>
void fields(A& a, Ref<A, ContractionKey> x) {
  a("dtype", x.dtype);
  a("form", x.form);
  a("m", x.m);
  a("n", x.n);
  a("k", x.k);
  a("batch", x.batch);
}

template <class A>
void fields(A& a, Ref<A, TimedContraction> x) {
  a("shape", x.key);
  a("generated", x.generated);
  // Zero turns: not measured.
  Timing library = x.library.value_or(Timing{});
  if constexpr (std::is_same_v<A, json::Reader>) {
    if (a.object().if_contains("library") != nullptr) {
      a("library", library);
      x.library = library;
    }
  } else if (x.library) {
    a("library", library);
  }
}

template <class A>
void fields(A& a, Ref<A, LibrarySearch> x) {
  a("kernel", x.kernel);
  a("shape", x.at);
  a("candidates", x.candidates);
  a("refused", x.refused);
  a("default_ns", x.default_ns);
  a("best_ns", x.best_ns);
}

template <class A>
void fields(A& a, Ref<A, TunedDevice> x) {
  a("target", x.target);
  a("name", x.name);
  a("vendor", x.vendor);
  a("driver", x.driver);
  a("platform", x.platform);
  a("compute_units", x.compute_units);
  a("is_cpu", x.is_cpu);
  a("covers", x.covers);
}

template <class A>
void fields(A& a, Ref<A, Tuning> x) {
  a("device", x.device);
  a("machine", x.machine);
  a("library", x.library);
  a("quick", x.is_quick);
  a("library_first_ms", x.library_first_ms);
  a("parameters", x.parameters);
  a("searches", x.searches);
  a("contractions", x.contractions);
}

namespace {

/// Version and members in one object.
struct File {
  std::string format{format_name};
  int version = Tuning::version;
  Tuning tuning;
};
template <class A>
void fields(A& a, Ref<A, File> x) {
  a("format", x.format);
  a("version", x.version);
  fields(a, x.tuning);
}

class Checker {
 public:
  explicit Checker(const std::string& name) : name_(name) {}

  void check(const Tuning& t) const {
    if (t.device.covers.empty()) fail("device.covers: expected names of devices, found none");
    for (const std::string& c : t.device.covers)
      if (c.empty() || c.size() > 200) fail("device.covers: expected beginnings of names");
    if (t.contractions.empty()) fail("contractions: expected at least one, found none");
    if (t.library_first_ms < 0) fail("library_first_ms: expected a time");
    for (const LibraryParameters& p : t.parameters)
      if (const auto problem = find_problem(t.device.target, p))
        fail(cat("parameters: ", *problem));
    for (std::size_t i = 0; i < t.contractions.size(); ++i)
      check(t.contractions[i], cat("contractions[", i, "]"));
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw_user_error(message, {.file = name_});
  }
  void check(const TimedContraction& c, const std::string& where) const {
    const ContractionKey& k = c.key;
    if (k.dtype != DType::f32 && k.dtype != DType::f64)
      fail(cat(where, ".shape.dtype: expected f32 or f64, found ", to_string(k.dtype)));
    constexpr std::int64_t most = std::int64_t(1) << 40;
    for (const std::int64_t extent : {k.m, k.n, k.k, k.batch})
      if (extent < 1 || extent > most)
        fail(cat(where, ".shape: expected extents from 1 on, found ", extent));
    if (c.generated.empty()) fail(cat(where, ".generated: expected at least one tile, found none"));
    for (const TimedTile& t : c.generated) {
      check(t.tile, where);
      check(t.time, where);
    }
    if (c.library) check(*c.library, where);
  }
  void check(const Timing& t, const std::string& where) const {
    if (t.median_ns < 1 || t.spread_permille < 0 || t.turns < 1)
      fail(cat(where, ": expected a median, a spread and turns, found ", t.median_ns, " ns, ",
               t.spread_permille, " permille, ", t.turns, " turns"));
  }
  void check(const TileSize& t, const std::string& where) const {
    const bool is_vector = t.vector_bytes == 16 || t.vector_bytes == 32 || t.vector_bytes == 64;
    if (!is_vector)
      fail(cat(where, ".vector_bytes: expected 16, 32 or 64, found ", t.vector_bytes));
    if (t.rows < 1 || t.rows > 32 || t.vectors < 1 || t.vectors > 8 || t.rows * t.vectors > 64)
      fail(cat(where, ": expected at most 32 rows of 8 vectors and 64 in all, found ", t.rows,
               " rows of ", t.vectors));
  }

  const std::string& name_;
};

}  // namespace

int coverage(const Tuning& tuning, std::string_view device_name) {
  int best = -1;
  for (const std::string& beginning : tuning.device.covers)
    if (device_name.starts_with(beginning)) best = std::max(best, int(beginning.size()));
  return best;
}

std::string tuning_to_json(const Tuning& tuning) {
  File file;
  file.tuning = tuning;
  return json::pretty(json::Writer::value_of(file)) + "\n";
}

Tuning tuning_from_json(std::string_view text, const std::string& name_for_errors) {
  const boost::json::value value = json::parse(text, name_for_errors);
  const json::Path root{.name = name_for_errors};
  const auto fail = [&](const std::string& message) {
    throw_user_error(message, {.file = name_for_errors});
  };
  if (!value.is_object() || value.get_object().if_contains("format") == nullptr)
    fail("expected a tuning file of partita tune, found another JSON document");
  File file;
  json::Reader reader(value, root);
  reader("format", file.format);
  if (file.format != format_name)
    fail(cat("expected a tuning file of partita tune, found format '", file.format, "'"));
  reader("version", file.version);  // first: what follows may be another version's
  if (file.version != Tuning::version)
    fail(cat("expected version ", Tuning::version, " of tuning files, found version ", file.version,
             file.version > Tuning::version ? " (a newer partita wrote it)" : ""));
  fields(reader, file);
  Checker(name_for_errors).check(file.tuning);
  return std::move(file.tuning);
}

Tuning load_tuning(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  return tuning_from_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                          path.string());
}

}  // namespace partita
