/**
 * The driver cuts a host at its first colon, so an IPv6 host is given apart from the address, and as a list: only those
 * are left whole, though the driver's types do not say so.
 */
export function hostOf(url: string): { readonly host?: string; readonly port?: number } {
  const [authority = ""] = url.replace(/^[a-z]+:\/\//i, "").split(/[/?#]/);
  // A user or a password may hold a comma; the hosts stand behind the last @.
  const hosts = authority.slice(authority.lastIndexOf("@") + 1).split(",");
  if (!hosts.some((host) => host.startsWith("["))) return {};
  const places = hosts.map(
    (host) => /^(?:\[(?<six>[^\]]*)\]|(?<plain>[^:]*))(?::(?<port>\d+))?$/.exec(host)?.groups ?? {},
  );
  const apart: unknown = {
    host: places.map(({ six, plain = "" }) => six ?? plain),
    port: places.map(({ port }) => Number(port ?? DEFAULT_PORT)),
  };
  return apart as ReturnType<typeof hostOf>;
}

const DEFAULT_PORT = 5432;
