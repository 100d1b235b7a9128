/** Values that are valid on a new node of the network `dev`. */

/** The account that owns all tokens. */
export const ROOT = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
export const ROOT_KEY = "HR56ybjX6sKJd3xocK6kUP9fsWY8skGsRwr53PLksuhJ";

/** The second account of the same seed. */
export const SECOND = "3QV4xdTK9aqMYrK5Tuojq2XXw8nX1NNkhjE";

export const GENESIS_ID =
  "53KvG3HPs4adaf5uurmqxiUr6TqWsm7hyumxXZHC55ocqmBgn36QTSBiVtmQCWrW9BSvWHRFxkBhajdJbq2PnhQn";

export const GENESIS_TRANSACTION =
  "36XcvCstxiEgLAWXcDQEziUrSapjD3r1QESJYqVRHVJamdSxHTadmghw6haTvb3eYCfkX1PDdGaahYFZC6XHZW6K";

export const HASH = "34b4a6b1ce9ced82394644fdb3136e531714a780170a3aaaf29d8ee39a17f127";

/** An id of 32 bytes. */
export const BASE58_ID = "4aJ7NPsNqcEGJbfBZVxrsdFrLnVbR41Fv4k4CCEMpT1W";

export const HELLO_SIGNATURE =
  "3zUK2ReQcpiHbHY5W9SPHK8VrfeV12X4x7ApV3gjUGLHRSrR6NAxRT6umKtzKvyUrkHTv3xtoTzQiTjjNwGADYkU";

export const TRANSFER = { sender: ROOT, recipient: SECOND, amount: 2_500_000_000, fee: 100_000_000 };

export const SCRIPT_TEXT = "sigVerify(tx.bodyBytes, tx.proofs[0], tx.senderPublicKey)";
export const SCRIPT =
  "base64:AQkAAfQAAAADCAUAAAACdHgAAAAJYm9keUJ5dGVzCQABkQAAAAIIBQAAAAJ0eAAAAAZwcm9vZnMAAAAAAAAAAAAIBQAAAAJ0eAAAAA9zZW5kZXJQdWJsaWNLZXmmsz2x";
