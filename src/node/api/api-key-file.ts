import { reasonOf } from "../../bytes/errors.ts";
import { decodeUtf8 } from "../../bytes/utf8.ts";
import { type ApiKeyFileSetting, MAX_API_KEYS_BYTES, parseApiKeys } from "../../config/kinds/api-key-list.ts";
import { InvalidValueError } from "../../config/kinds/kinds.ts";
import type { NamedKey, NamedKeys } from "../../http/access/named-keys.ts";
import type { Cancel, Clock, Log } from "../../interfaces.ts";
import type { OperatorFiles } from "../../runtime/system.ts";
import { repeat } from "../../runtime/timers.ts";

/** A changed file takes effect after one or two intervals, ms. */
const POLL_INTERVAL_MS = 1_000;

export interface ChangingKeys extends NamedKeys {
  /** Calls the listener with all keys after each change. @returns a function that removes the listener */
  onChange(listener: (keys: readonly NamedKey[]) => void): () => void;
}

interface Dependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly files: OperatorFiles;
}

/** Polls the file of API keys. */
export class ApiKeyFile implements ChangingKeys {
  readonly #path: string;
  readonly #dependencies: Dependencies;
  readonly #listeners = new Set<(keys: readonly NamedKey[]) => void>();
  #keys: readonly NamedKey[];
  /** Last applied or refused content. */
  #handledText: string | undefined;
  /** Content of the last poll. Two polls must agree: the file may be half written. */
  #lastText: string | undefined;
  #cancel: Cancel = () => {};

  constructor({ path, keys }: ApiKeyFileSetting, dependencies: Dependencies) {
    this.#path = path;
    this.#keys = keys;
    this.#dependencies = dependencies;
  }

  get current(): readonly NamedKey[] {
    return this.#keys;
  }

  onChange(listener: (keys: readonly NamedKey[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): void {
    this.#cancel = repeat(this.#dependencies.clock, POLL_INTERVAL_MS, () => this.#poll());
  }

  stop(): void {
    this.#cancel();
  }

  async #poll(): Promise<void> {
    const content = await this.#read();
    const isComplete = content.text === this.#lastText;
    this.#lastText = content.text;
    if (!isComplete || content.text === this.#handledText) return;
    this.#handledText = content.text;
    try {
      if (content.failure !== undefined) throw new InvalidValueError(content.failure);
      this.#apply(parseApiKeys(content.text));
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      this.#dependencies.log.error("Cannot use the file of API keys: the previous keys remain in force", {
        path: this.#path,
        reason: error.message,
      });
    }
  }

  /** For an unreadable file, returns `failure` and a text that differs from every valid file's. */
  async #read(): Promise<{ readonly text: string; readonly failure?: string }> {
    const { files } = this.#dependencies;
    const unreadable = (failure: string) => ({ text: `\0${failure}`, failure });
    try {
      const bytes = await files.read(this.#path, MAX_API_KEYS_BYTES + 1);
      return bytes === undefined ? unreadable("the file does not exist") : { text: decodeUtf8(bytes) };
    } catch (error) {
      return unreadable(reasonOf(error));
    }
  }

  #apply(keys: readonly NamedKey[]): void {
    const describe = ({ name, scopes, hash, expiresAt }: NamedKey) =>
      [name, scopes.join(), Buffer.from(hash).toString("hex"), expiresAt].join(" ");
    const before = this.#keys.map(describe).join("\n");
    if (keys.map(describe).join("\n") === before) return;
    this.#keys = keys;
    this.#dependencies.log.info("The API keys have changed", {
      path: this.#path,
      names: keys.map(({ name }) => name),
    });
    for (const listener of this.#listeners) listener(keys);
  }
}
