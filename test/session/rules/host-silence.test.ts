import { describe, expect, test } from "vitest";
import {
  type HeardHost,
  hostLabel,
  hostSilentMs,
  isElsewhere,
  machinesSeen,
  otherHosts,
  silenceDeadline,
} from "../../../src/session/rules/host-silence.ts";

const at = (s: number) => ({ epoch: "server", ms: s * 1000 });
const heard = (name: string, heardAt: number, { since = 0, isKept = true, bootId = "boot" } = {}): HeardHost => {
  return { host: name, bootId, name, heard: at(heardAt), unbroken: at(since), isKept };
};
const on = (host: string, bootId = "boot", lastSeenAt = 0) => ({
  process: { host, bootId, pidNamespace: "pid:1", pid: 7, startTicks: "1" },
  lastSeen: at(lastSeenAt),
});
const own = { host: "own", bootId: "boot", name: "own" };

function seen(hosts: readonly HeardHost[], nowS: number) {
  return { evidence: { hosts: otherHosts(hosts, own) }, moment: { instant: at(nowS) } };
}

describe("a machine", () => {
  test("is silent when it was not heard of for 50 s while another one was", () => {
    const hosts = [heard("own", 148), heard("far", 100)];
    expect(hostSilentMs(on("far"), seen(hosts, 149))).toBeNull();
    expect(hostSilentMs(on("far"), seen(hosts, 150))).toBe(50_000);
    expect(hostSilentMs(on("far"), seen(hosts, 170))).toBe(70_000);
  });

  test("that was cut off for half a minute right before its renewal is not silent", () => {
    // Heard at 100, the cut from 112 to 142, and heard again before the limit.
    const cut = [heard("own", 148), heard("far", 100)];
    expect(hostSilentMs(on("far"), seen(cut, 146))).toBeNull();
    expect(hostSilentMs(on("far"), seen([heard("own", 148), heard("far", 147, { since: 0 })], 190))).toBeNull();
  });

  test("of which nothing is expected is never silent", () => {
    expect(hostSilentMs(on("far"), seen([heard("own", 990), heard("far", 100, { isKept: false })], 1000))).toBeNull();
    expect(hostSilentMs(on("far"), seen([heard("own", 990)], 1000))).toBeNull();
  });

  test("is not silent only because the server was away", () => {
    // The server was away from 110 to 300; this machine is back since 300, that one not yet.
    for (const [nowS, silentMs] of [
      [301, null],
      [319, null],
      [320, 212_000],
    ] as const) {
      const hosts = [heard("own", nowS, { since: 300 }), heard("far", 108)];
      expect(hostSilentMs(on("far"), seen(hosts, nowS))).toBe(silentMs);
    }
  });

  test("is no witness of itself, and an earlier boot of this one can be silent", () => {
    expect(hostSilentMs(on("far"), seen([heard("far", 100)], 500))).toBeNull();
    const rebooted = [heard("own", 495, { since: 400 }), heard("own", 100, { bootId: "before" })];
    expect(hostSilentMs(on("own", "before"), seen(rebooted, 500))).toBe(400_000);
    expect(hostSilentMs(on("own"), seen(rebooted, 900))).toBeNull();
  });

  test("is looked at when it may count as silent, and then every few seconds until it does", () => {
    const hosts = [heard("own", 110), heard("far", 100)];
    expect(silenceDeadline(on("far"), seen(hosts, 110))).toEqual(at(150));
    expect(silenceDeadline(on("far"), seen(hosts, 160))).toEqual(at(165));
    expect(silenceDeadline(on("far"), seen([heard("own", 148), heard("far", 100)], 160))).toBeNull();
    expect(silenceDeadline({ process: null, lastSeen: null }, seen(hosts, 110))).toBeNull();
  });
});

describe("a session on a machine that is not heard of", () => {
  // A process was killed there, so its note stays.
  const hosts = [heard("own", 200), heard("far", 100)];

  test("was heard of at its own last call, and is looked at after that", () => {
    expect(hostSilentMs(on("far", "boot", 195), seen(hosts, 200))).toBeNull();
    expect(silenceDeadline(on("far", "boot", 195), seen(hosts, 200))).toEqual(at(245));
    expect(hostSilentMs(on("far", "boot", 150), seen(hosts, 200))).toBe(50_000);
    expect(hostSilentMs(on("far", "boot", 90), seen(hosts, 200))).toBe(100_000);
  });

  test("is not silent if the server was away after its last call", () => {
    const away = [heard("own", 130), heard("far", 100)];
    expect(hostSilentMs(on("far", "boot", 90), seen(away, 300))).toBe(200_000);
    expect(hostSilentMs(on("far", "boot", 120), seen(away, 300))).toBeNull();
  });
});

test("machines of one name are told apart by their ids", () => {
  const hosts = [
    { ...heard("aaaaaaaaaaaa", 1), name: "laptop" },
    { ...heard("bbbbbbbbbbbb", 1), name: "laptop" },
  ];
  const label = (host: string, known = hosts, bootId: string | null = null) => hostLabel({ host, bootId }, known);
  expect(label("aaaaaaaaaaaa")).toBe("laptop (aaaaaa)");
  expect(label("aaaaaaaaaaaa", hosts.slice(0, 1))).toBe("laptop");
  expect(label("cccccccccccc")).toBe("cccccccccccc");
  const clone = { ...heard("aaaaaaaaaaaa", 1, { bootId: "clone" }), name: "desk" };
  expect(label("aaaaaaaaaaaa", [...hosts, clone], "clone")).toBe("desk");
});

const told = (known: readonly HeardHost[], nowS: number, ...signs: readonly ReturnType<typeof on>[]) =>
  machinesSeen(signs, seen(known, nowS));

const isFar = (host: string, bootId: string, name = host) =>
  isElsewhere({ host, bootId }, own, seen([{ ...heard(host, 100, { bootId }), name }], 500).evidence.hosts);

describe("a machine, as people are told of it", () => {
  const hosts = [heard("own", 200), heard("far", 100), { ...heard("quiet", 100, { isKept: false }), name: "own" }];
  const far = { host: "far", bootId: "boot" };

  test("is told by its name, and since when it is silent", () => {
    expect(told(hosts, 120)(far)).toEqual({ label: "far", silentSince: null });
    expect(told(hosts, 200)(far)).toEqual({ label: "far", silentSince: at(100) });
    expect(told(hosts, 900)({ ...far, host: "quiet" })).toEqual({ label: "own (quiet)", silentSince: null });
    expect(told(hosts, 900)({ ...far, host: "nowhere" })).toEqual({ label: "nowhere", silentSince: null });
  });

  test("was heard of when any session on it was", () => {
    expect(told(hosts, 200, on("far", "boot", 120), on("far", "boot", 110))(far).silentSince).toEqual(at(120));
    expect(told(hosts, 200, on("far", "boot", 195))(far).silentSince).toBeNull();
    expect(told(hosts, 200, on("elsewhere", "boot", 195))(far).silentSince).toEqual(at(100));
    // Nothing is expected of a boot that is not noted.
    expect(told(hosts, 400, on("far", "next", 150))(far)).toEqual({ label: "far", silentSince: null });
  });

  test("that was restarted is judged by its newest boot", () => {
    const rebooted = [...hosts, heard("far", 190, { bootId: "next" })];
    for (const bootId of ["boot", "next", null]) {
      expect(told(rebooted, 200)({ host: "far", bootId })).toEqual({ label: "far", silentSince: null });
    }
    const silentAgain = [heard("own", 300), ...rebooted.slice(1)];
    expect(told(silentAgain, 300)(far).silentSince).toEqual(at(190));
  });

  test("has the name of the boot that the session runs on, and is not heard of by a clone", () => {
    const cloned = [heard("own", 200), heard("far", 100), { ...heard("far", 190, { bootId: "clone" }), name: "other" }];
    expect(told(cloned, 200)({ host: "far", bootId: "clone" })).toEqual({ label: "other", silentSince: null });
    expect(told(cloned, 200)(far)).toEqual({ label: "far", silentSince: at(100) });
  });

  test("is the reader's own one also before a restart, unless another name shows that it is a clone", () => {
    expect(isFar("own", "before")).toBe(false);
    expect(isFar("own", "before", "other")).toBe(true);
    expect(isFar("far", "boot")).toBe(true);
  });
});
