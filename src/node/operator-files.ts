/** Files that an operator leaves for the node, or the node for the operator. */
export interface OperatorFiles {
  /** The first bytes of a file; undefined when there is none. @throws when it cannot be read */
  read(path: string, length: number): Promise<Uint8Array | undefined>;
  /** Removes a file, if it is there. */
  remove(path: string): Promise<void>;
}
