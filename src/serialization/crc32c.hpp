// CRC-32C (Castagnoli, polynomial 0x1EDC6F41, reflected), as in iSCSI and TFRecords.
#pragma once

#include <cstdint>
#include <string_view>

namespace supn {

std::uint32_t crc32c(std::string_view bytes);

// Returns a CRC as it is stored beside its data: rotated right by 15 bits plus 0xA282EAD8.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace supn
