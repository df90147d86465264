// Writes a sparse image (UDSP) with the class AppleSparseimage of fsdump (github.com/sgan81/fsdump).
//
// Usage: write_sparse IMAGE DISK BYTES < PIECES
//   IMAGE    the new image
//   DISK     the content: a raw disk of BYTES bytes
//   PIECES   one line "OFFSET LENGTH" in bytes for each piece of the content, in the order of writing
// Exit codes: 0 written, 1 not.

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "AppleSparseimage.h"

static int fail(const char *what, int error)
{
	std::cerr << "write_sparse: " << what << ": " << std::strerror(error) << "\n";
	return 1;
}

int main(int count, char **words)
{
	if (count != 4) {
		std::cerr << "usage: write_sparse IMAGE DISK BYTES < PIECES\n";
		return 1;
	}
	std::ifstream disk(words[2], std::ios::binary);
	AppleSparseimage image;
	if (int error = image.Create(words[1], std::stoull(words[3])))
		return fail("cannot create the image", error);
	uint64_t offset;
	size_t length;
	while (std::cin >> offset >> length) {
		std::vector<char> piece(length);
		if (!disk.seekg(offset).read(piece.data(), length))
			return fail("cannot read the disk", EIO);
		if (int error = image.Write(piece.data(), length, offset))
			return fail("cannot write to the image", error);
	}
	// Writes the node that was filled last; it returns nothing, so only a reader sees whether that failed.
	image.Close();
	return 0;
}
