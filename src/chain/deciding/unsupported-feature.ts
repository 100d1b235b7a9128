/** The rules of an active feature are unknown: the node stops. Page 03 §6.4. */
export class UnsupportedFeatureError extends Error {
  override readonly name = "UnsupportedFeatureError";

  constructor(ids: readonly number[], height: number) {
    const features = ids.length === 1 ? `Feature ${ids[0]} is` : `Features ${ids.join(", ")} are`;
    super(`${features} active at height ${height} but unknown to this version: update the node`);
  }
}
