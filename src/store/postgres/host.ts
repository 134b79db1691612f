/**
 * The driver cuts a host at its first colon, so an IPv6 host is given apart from the address, and as a list: only those
 * are left whole, though the driver's types do not say so.
 */
export function hostOf(url: string): { readonly host?: string; readonly port?: number } {
  const { hostname, port } = new URL(url.replace(SEVERAL_HOSTS, "$1"));
  if (!hostname.startsWith("[")) return {};
  const apart: unknown = { host: [hostname.slice(1, -1)], port: [Number(port || DEFAULT_PORT)] };
  return apart as ReturnType<typeof hostOf>;
}

const SEVERAL_HOSTS = /(?<=@|\/\/)([^/?#@,]*),[^/?#]*/;
const DEFAULT_PORT = 5432;
