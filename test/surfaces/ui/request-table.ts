/**
 * What a request to the page's server may say of itself: one list for each part, and for each entry whether the page
 * itself could say it. A request is answered only if all of its parts are so.
 */
export interface Part {
  readonly says: string;
  /** As it stands in the request; null: the header is missing. */
  readonly value: string | null;
  readonly isOurs: boolean;
}

export interface Row {
  readonly host: Part;
  readonly origin: Part;
  readonly site: Part;
  readonly method: Part;
  readonly target: Part;
  readonly token: Part;
}

const part =
  (counts: boolean) =>
  (value: string | null, says = value ?? "none"): Part => ({ says, value, isOurs: counts });
const ours = part(true);
const foreign = part(false);

export function hostsFor(port: number): readonly Part[] {
  return [
    ours(`127.0.0.1:${port}`),
    ours(`LocalHost:${port}`),
    foreign("evil.test", "a name that leads here"),
    foreign(`evil.test:${port}`, "such a name with our port"),
    foreign(`127.0.0.1:${port - 1}`, "another port"),
    foreign(`127.0.0.1.evil.test:${port}`),
    foreign(`[::1]:${port}`),
    foreign("127.0.0.1", "no port"),
    foreign(null),
  ];
}

/** What fits to the host that is named: an origin says the same host. */
export function originsFor(host: string, port: number): readonly Part[] {
  return [
    ours(null),
    ours(`http://${host.toLowerCase()}`, "the same"),
    foreign(`http://127.0.0.1:${port - 1}`, "another port of this machine"),
    foreign(`https://${host.toLowerCase()}`, "another scheme"),
    foreign("http://evil.test"),
    foreign("null", "a page without an origin"),
    foreign(host.startsWith("127") ? `http://localhost:${port}` : `http://127.0.0.1:${port}`, "our other name"),
  ];
}

export const SITES: readonly Part[] = [
  ours(null),
  ours("same-origin"),
  ours("none"),
  foreign("same-site"),
  foreign("cross-site"),
];

/** With the method that each of them is asked by. */
const TARGETS: readonly { readonly target: Part; readonly methods: readonly Part[]; readonly needsToken: boolean }[] = [
  { target: ours("/"), methods: methodsWith("GET"), needsToken: false },
  { target: ours("/api/list_rooms"), methods: methodsWith("POST"), needsToken: true },
  { target: ours("/api/stream"), methods: methodsWith("POST"), needsToken: true },
];

function methodsWith(own: string): readonly Part[] {
  return ["GET", "POST", "PUT", "OPTIONS"].map((method) => (method === own ? ours : foreign)(method));
}

export function tokensFor(secret: string): readonly Part[] {
  return [
    ours(`Bearer ${secret}`, "the secret"),
    foreign(null),
    foreign("Bearer 3vhsB5lSm6mZf7mHk7r7F1kYt2Qk9z3oC0xqk8lqk1E", "an old secret"),
    foreign(`Basic ${secret}`, "the secret in another scheme"),
  ];
}

/** Every combination. */
export function* rowsFor({ port, secret }: { readonly port: number; readonly secret: string }): Generator<Row> {
  for (const host of hostsFor(port))
    for (const origin of originsFor(host.value ?? "127.0.0.1", port))
      for (const site of SITES)
        for (const { target, methods, needsToken } of TARGETS)
          for (const method of methods)
            for (const token of tokensFor(secret))
              yield { host, origin, site, target, method, token: needsToken ? token : { ...token, isOurs: true } };
}

export function isOurs(row: Row): boolean {
  return Object.values(row).every((one: Part) => one.isOurs);
}

export function titleOf({ host, origin, site, method, target, token }: Row): string {
  return `${method.says} ${target.says} host ${host.says}, origin ${origin.says}, site ${site.says}, token ${token.says}`;
}

/** The headers that name the parts. */
export function headersOf({ host, origin, site, token }: Row): readonly (readonly [string, string])[] {
  const all = [
    ["Host", host.value],
    ["Origin", origin.value],
    ["Sec-Fetch-Site", site.value],
    ["Authorization", token.value],
  ] as const;
  return all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}
