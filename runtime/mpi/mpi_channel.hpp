// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Channel over MPI point-to-point messages.  A wait tests, releases the lock, looks whether the job
// has failed, and pauses longer the longer it lasts; it never blocks inside MPI.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "runtime/collective/emulated_net.hpp"
#include "runtime/collective/failure.hpp"
#include "runtime/collective/job_link.hpp"
#include "runtime/mpi/mpi_state.hpp"

namespace partita::collective {

class MpiChannel final : public LinkChannel {
 public:
  struct Settings {
    MPI_Comm comm = MPI_COMM_NULL;  ///< borrowed; with this tag used by this channel alone
    int tag = 0;
    std::size_t max_message_bytes = std::size_t(1) << 30;
    std::optional<EmulatedNet> net;  ///< messages of others take so long
    LinkSettings link;
  };
  explicit MpiChannel(Settings settings)
      : LinkChannel(std::move(settings.link)), settings_(std::move(settings)) {}

  Ticket send(int to, std::span<const std::byte> data) override;
  Ticket receive(int from, std::span<std::byte> data) override;

  /// Ends every receive, so that nothing is written any more; one that is half done is given a tenth
  /// of a second.  (Sends only read, and nobody calls MPI after a failure.)
  void abandon() noexcept override;

 protected:
  void wait_for(Ticket ticket) override;

 private:
  /// One message of the algorithms: one of MPI, or several where it is short or very long.
  struct Transfer {
    boost::container::small_vector<MPI_Request, 1> requests;
    std::size_t tested = 0;  ///< that many requests have completed
    std::size_t bytes = 0;
    int peer = 0;
    bool incoming = false, in_use = false;
    std::optional<std::chrono::steady_clock::time_point> arrived;  ///< noted for the emulated line
  };
  Ticket open(int peer, std::size_t bytes, bool incoming);
  /// Of all but the last MPI message of a transfer.
  [[nodiscard]] std::size_t message_bytes(std::size_t transfer_bytes) const;
  [[nodiscard]] bool test(Transfer& transfer);
  void check_size(const Transfer& transfer, const MPI_Status& status) const;
  /// Returns when a message that has come would have come over the emulated line; others come meanwhile.
  void hold_back(const Transfer& transfer);
  void note_arrivals(int awaited);

  Settings settings_;
  std::vector<Transfer> transfers_;
  std::vector<Ticket> free_;
  std::chrono::steady_clock::time_point line_is_free_{};  ///< of the emulated line
};

}  // namespace partita::collective
