// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/mpi/mpi_wire.hpp"

#include <utility>

namespace partita::collective {
namespace {

constexpr int control_tag = 0;

}  // namespace

MpiWire::MpiWire(MPI_Comm comm, std::shared_ptr<FailureState> failure)
    : comm_(comm), failure_(std::move(failure)) {
  const MpiLock lock(mpi_mutex());
  post_receive();
}

MpiWire::~MpiWire() {
  if (failure_->failed()) return;  // nobody calls MPI any more
  const MpiLock lock(mpi_mutex());
  MPI_Cancel(&receive_);
  MPI_Wait(&receive_, MPI_STATUS_IGNORE);
}

void MpiWire::post_receive() {
  PARTITA_MPI(MPI_Irecv(&incoming_, int(sizeof(Message)), MPI_BYTE, MPI_ANY_SOURCE, control_tag,
                        comm_, &receive_));
}

void MpiWire::send(int to, const Message& message) {
  auto& outgoing = *outgoing_.emplace_back(std::make_unique<Outgoing>());
  outgoing.message = message;
  PARTITA_MPI(MPI_Isend(&outgoing.message, int(sizeof(Message)), MPI_BYTE, to, control_tag, comm_,
                        &outgoing.request));
}

bool MpiWire::is_idle() {
  std::erase_if(outgoing_, [](const std::unique_ptr<Outgoing>& outgoing) {
    int done = 0;
    PARTITA_MPI(MPI_Test(&outgoing->request, &done, MPI_STATUS_IGNORE));
    return done != 0;
  });
  return outgoing_.empty();
}

std::optional<ControlWire::Received> MpiWire::receive() {
  int done = 0;
  MPI_Status status;
  PARTITA_MPI(MPI_Test(&receive_, &done, &status));
  if (done == 0) return std::nullopt;
  const Received received{incoming_, status.MPI_SOURCE};
  post_receive();
  return received;
}

}  // namespace partita::collective
