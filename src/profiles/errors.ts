/** Thrown for invalid network settings. */
export class ProfileError extends Error {
  override readonly name = "ProfileError";
}
