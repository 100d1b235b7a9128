export function networkIdentity(name: string, chainId: number, genesisId: string): string {
  return `${name} ${chainId} ${genesisId}`;
}

/** Formats an identity as `dev (chain id D, genesis block 5Gx…)`. Replaces control characters. */
export function networkText(untrusted: string): string {
  const identity = untrusted.replace(/\p{C}/gu, " ");
  const [, name, chainId, genesisId] = /^(.*) (\d{1,3}) (\w+)$/s.exec(identity) ?? [];
  if (name === undefined) return identity;
  const character = String.fromCharCode(Number(chainId));
  const chainIdText = /^[!-~]$/.test(character) ? character : chainId;
  return `${name} (chain id ${chainIdText}, genesis block ${genesisId})`;
}
