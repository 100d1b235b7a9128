/** Formats addresses like the reference: `/ip:port` or `name:port`. Page 06 §7.12. */

const IPV6_GROUPS = 8;

function allGroups(host: string): string {
  const [head, tail] = host.split("::");
  if (tail === undefined) return host;
  const first = head === "" ? [] : head.split(":");
  const last = tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(IPV6_GROUPS - first.length - last.length).fill("0");
  return [...first, ...zeros, ...last].join(":");
}

const isIpv6 = (host: string): boolean => host.includes(":");
const isIp = (host: string): boolean => isIpv6(host) || /^[\d.]+$/.test(host);

/**
 * Formats `/203.0.113.7`, `/2001:db8:0:0:0:0:0:1`, or a name without a slash.
 * @param host name, or IP address in short form
 */
export function javaHost(host: string): string {
  return isIp(host) ? `/${allGroups(host)}` : host;
}

/** Formats `/203.0.113.7:6868`, `/[2001:db8:0:0:0:0:0:1]:6868` or `example.org:6868`. */
export function javaAddress({ host, port }: { readonly host: string; readonly port: number }): string {
  return isIpv6(host) ? `/[${allGroups(host)}]:${port}` : `${javaHost(host)}:${port}`;
}
