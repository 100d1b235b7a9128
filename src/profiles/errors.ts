/** Unusable network settings. The message says which and why. */
export class ProfileError extends Error {
  override readonly name = "ProfileError";
}
