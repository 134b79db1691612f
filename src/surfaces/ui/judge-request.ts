/**
 * Which requests the page's server answers. Pure: it sees what a request says of itself, and nothing else.
 *
 *   host ──▶ origin and site ──▶ method and path ──▶ secret ──▶ answered
 *     └──────────┴──────────────────┴───────────────┴──▶ refused, all in the same way
 *
 * The host comes first: a name that an attacker made to lead here is not ours, whatever else the request says. A page of
 * another site cannot hide its origin. The secret is what other programs and users of this machine do not have.
 */
import type { OperationName } from "../../core/operation-names.ts";

/** What a request says of itself. */
export interface AskedRequest {
  readonly method: string;
  /** As it stands in the request: nothing is decoded, so nothing has two meanings. */
  readonly target: string;
  /** All values of a header, by its name in small letters. */
  readonly header: (name: string) => readonly string[];
}

export interface Rules {
  readonly port: number;
  readonly files: ReadonlySet<string>;
  readonly operations: ReadonlySet<string>;
  readonly isSecret: (given: string) => boolean;
}

export type JudgedRequest =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "operation"; readonly name: OperationName }
  | { readonly kind: "stream" }
  | { readonly kind: "refused"; readonly by: "host" | "origin" | "path" | "secret" };

/** Those that decide anything. A request that repeats one may mean different things to different readers. */
const DECISIVE = ["host", "origin", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "authorization"] as const;

export function judgeRequest(asked: AskedRequest, rules: Rules): JudgedRequest {
  const { header, method, target } = asked;
  const [host] = header("host");
  if (host === undefined || !hostsAt(rules.port).includes(host.toLowerCase())) return refusedBy("host");
  if (DECISIVE.some((name) => header(name).length > 1)) return refusedBy("host");
  const isFile = method === "GET" && rules.files.has(target);
  if (!isFromUs(asked, host.toLowerCase()) && !(isFile && opensPage(asked))) return refusedBy("origin");
  if (isFile) return { kind: "file", path: target };
  if (method !== "POST" || !target.startsWith(API)) return refusedBy("path");
  const name = target.slice(API.length);
  if (name !== STREAM && !rules.operations.has(name)) return refusedBy("path");
  if (!rules.isSecret(secretIn(header("authorization")))) return refusedBy("secret");
  return name === STREAM ? { kind: "stream" } : { kind: "operation", name: name as OperationName };
}

const API = "/api/";
const STREAM = "stream";

const refusedBy = (by: Extract<JudgedRequest, { kind: "refused" }>["by"]): JudgedRequest => ({ kind: "refused", by });

/** Browsers leave out the usual port. */
function hostsAt(port: number): readonly string[] {
  const names = ["127.0.0.1", "localhost"];
  return [...names.map((name) => `${name}:${port}`), ...(port === 80 ? names : [])];
}

/** Programs that are no browsers send neither header. They need the secret as well. */
function isFromUs({ header }: AskedRequest, host: string): boolean {
  const [origin] = header("origin");
  const [site] = header("sec-fetch-site");
  return (origin === undefined || origin === `http://${host}`) && (site === undefined || OWN_SITES.has(site));
}

const OWN_SITES: ReadonlySet<string> = new Set(["same-origin", "none"]);

/**
 * A whole page that the browser goes to. It comes from another site when the redirect file leads there. The file tells
 * nothing, and no other site can read it, embed it or keep hold of its window.
 */
function opensPage({ target, header }: AskedRequest): boolean {
  const is = (name: string, value: string) => header(name)[0] === value;
  return (
    target === "/" &&
    header("origin").length === 0 &&
    is("sec-fetch-site", "cross-site") &&
    is("sec-fetch-mode", "navigate") &&
    is("sec-fetch-dest", "document")
  );
}

function secretIn([authorization = ""]: readonly string[]): string {
  return /^Bearer ([\w-]{1,200})$/.exec(authorization)?.[1] ?? "";
}
