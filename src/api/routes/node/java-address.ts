/** Addresses like those of the reference: `name/ip:port` without the name. Page 06 §7.12. */

const IPV6_GROUPS = 8;

/** Expands the short form of RFC 5952. */
function allGroups(host: string): string {
  const [front, back] = host.split("::");
  if (back === undefined) return host;
  const left = front === "" ? [] : front.split(":");
  const right = back === "" ? [] : back.split(":");
  const zeros = Array<string>(IPV6_GROUPS - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].join(":");
}

const isIpv6 = (host: string): boolean => host.includes(":");
const isIp = (host: string): boolean => isIpv6(host) || /^[\d.]+$/.test(host);

/** `/203.0.113.7`, `/2001:db8:0:0:0:0:0:1`, or a name alone. @param host IP addresses in short form */
export function javaHost(host: string): string {
  return isIp(host) ? `/${allGroups(host)}` : host;
}

/** `/203.0.113.7:6868`, `/[2001:db8:0:0:0:0:0:1]:6868`, `example.org:6868`. */
export function javaAddress({ host, port }: { readonly host: string; readonly port: number }): string {
  return isIpv6(host) ? `/[${allGroups(host)}]:${port}` : `${javaHost(host)}:${port}`;
}
