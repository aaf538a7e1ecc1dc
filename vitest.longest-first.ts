import { matchesGlob } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take more than half a minute, in any order: the last to end should be a short one, since it runs alone. */
const longest = [
  "packages/http/test/stop-server",
  "packages/keys/test/broker-cluster",
  "packages/peers/test/peer-set",
  "packages/postgres/test/start-postgres",
  "packages/service/test/{run-service,starting}",
  "services/router/test/{draining-peers,revocation}",
  "services/webhook-dispatcher/test/ledger",
  "tests/e2e/test/{apply,cli,client-streams,encrypted-services,lifecycle,restore,roles,standalone,start-services,workers}",
  "tests/e2e/test/console/console-{kept,reach,roles,saved,tools}",
  "tools/schema-engine/test/migrations-agree",
].map((path) => `**/${path}.*.test.ts`);

/** Starts the longest files first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longest.some((path) => matchesGlob(moduleId, path));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
