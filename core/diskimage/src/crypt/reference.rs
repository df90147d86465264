//! A slow reference implementation for comparison: one unit after the other, with the crate's HMAC.

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes256, Block};
use hmac::{Hmac, Mac};
use sha1::Sha1;

/// Bytes written as hexadecimal digits.
pub(crate) fn hex(digits: &str) -> Vec<u8> {
    let digit = |n: usize| u8::from_str_radix(&digits[n..n + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(digit).collect()
}

/// HMAC-SHA1.
pub(crate) fn hmac_sha1(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha1>::new_from_slice(key).unwrap();
    mac.update(message);
    mac.finalize().into_bytes().to_vec()
}

/// AES-CBC without padding.
pub(crate) fn cbc_encrypt(key: &[u8], vector: &[u8], plain: &[u8]) -> Vec<u8> {
    let mut chain = Block::try_from(vector).unwrap();
    let mut found = Vec::new();
    for unit in plain.chunks(16) {
        chain.iter_mut().zip(unit).for_each(|(byte, other)| *byte ^= other);
        match key.len() {
            16 => Aes128::new_from_slice(key).unwrap().encrypt_block(&mut chain),
            _ => Aes256::new_from_slice(key).unwrap().encrypt_block(&mut chain),
        }
        found.extend_from_slice(&chain);
    }
    found
}

/// Encrypts blocks of 512 bytes, the first of which has this number.
pub(crate) fn encrypt_blocks(aes_key: &[u8], hmac_key: &[u8], plain: &[u8], first: u32) -> Vec<u8> {
    let mut found = Vec::new();
    for (number, block) in (first..).zip(plain.chunks(512)) {
        let vector = &hmac_sha1(hmac_key, &number.to_be_bytes())[..16];
        found.extend(cbc_encrypt(aes_key, vector, block));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{cbc_encrypt, hex};

    /// Plaintext, vector, and what AES-128 and AES-256 make of it: NIST SP 800-38A, F.2.1 and F.2.5.
    const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                         30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
    const VECTOR: &str = "000102030405060708090a0b0c0d0e0f";
    const EXAMPLES: [(&str, &str); 2] = [
        (
            "2b7e151628aed2a6abf7158809cf4f3c",
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2\
             73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
        ),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d\
             39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
        ),
    ];

    #[test]
    fn the_reference_knows_the_examples_of_sp_800_38a() {
        for (key, cipher_text) in EXAMPLES {
            let (key, vector) = (hex(key), hex(VECTOR));
            assert_eq!(cbc_encrypt(&key, &vector, &hex(PLAIN)), hex(cipher_text));
        }
    }
}
