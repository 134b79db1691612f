import postgres from "postgres";
import { expect, onTestFinished } from "vitest";
import type { Told } from "./fixtures/patient-writer.ts";

/** A note that was told is there once. One that failed for certain is not there, and one that may have failed, at most once. */
export async function expectNotesAsTold(url: string, told: readonly Told[], seed = 0): Promise<void> {
  const admin = postgres(url, { max: 1, fetch_types: false, connection: { search_path: "talking_stick" } });
  onTestFinished(() => admin.end({ timeout: 0 }));
  const rows = await admin`SELECT body FROM notes`;
  const times = new Map<string, number>();
  for (const row of rows) {
    const body = JSON.parse(String(row["body"])) as string;
    times.set(body, (times.get(body) ?? 0) + 1);
  }
  const wrong = told.filter((one) => {
    const found = times.get(one.body) ?? 0;
    if (one.did === "note") return found !== 1;
    return one.outcomeUnknown ? found > 1 : found !== 0;
  });
  expect({ seed, wrong }).toEqual({ seed, wrong: [] });
  const faults = told.filter((one) => one.did === "fault");
  expect(faults.length).toBeGreaterThan(0);
}
