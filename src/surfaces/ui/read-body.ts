/** The body of a request that has shown the secret: one JSON object of bounded size. */
import type { IncomingMessage, ServerResponse } from "node:http";

const MOST_BYTES = 1_000_000;

export type PageRequestBody = Readonly<Record<string, unknown>>;

/** The status of the refusal if it is none. The rest of a body that is too long is not kept. */
export async function readBody(request: IncomingMessage, response: ServerResponse): Promise<PageRequestBody | number> {
  const { headers } = request;
  if (!/^application\/json(?:; *charset=utf-8)?$/i.test(headers["content-type"] ?? "")) return 415;
  if (headers["content-encoding"] !== undefined) return 415;
  if (Number(headers["content-length"] ?? 0) > MOST_BYTES) return 413;
  // The page sends none; a program that does waits for the word before it sends its body.
  if (headers.expect !== undefined && request.httpVersion === "1.1") response.writeContinue();
  const bytes = await bytesOf(request);
  return typeof bytes === "number" ? bytes : (objectIn(bytes) ?? 400);
}

function bytesOf(request: IncomingMessage): Promise<Buffer | number> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let total = 0;
    request.on("data", (chunk: Buffer) => {
      total += chunk.length;
      if (total <= MOST_BYTES) return void chunks.push(chunk);
      chunks.length = 0;
      resolve(413);
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    // The page has gone before it had said all.
    request.on("close", () => resolve(400));
    request.on("error", () => resolve(400));
  });
}

function objectIn(bytes: Buffer): PageRequestBody | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
