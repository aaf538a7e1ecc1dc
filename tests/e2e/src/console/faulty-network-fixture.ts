import { type ConsoleFixture, openConsoleFixture } from "./console-fixture.ts";
import { FaultyProxy } from "./faulty-proxy.ts";

/** A product in use, with a person behind a proxy that can cause faults. */
export interface FaultyNetworkFixture extends ConsoleFixture {
  readonly proxy: FaultyProxy;
}

export async function openFaultyNetworkFixture(chromiumPath: string): Promise<FaultyNetworkFixture> {
  const fixture = await openConsoleFixture(chromiumPath);
  const proxy = await FaultyProxy.start(fixture.product.url);
  const visitor = await fixture.visitor.openStranger(proxy.url);
  // Accepts the question of a form that is left with unsaved input.
  visitor.page.on("dialog", (question) => void question.accept());
  await visitor.page.goto("/console");
  await visitor.signIn(fixture.product.adminKey);
  const stop = async () => {
    await visitor.leave();
    proxy.stop();
    await fixture.stop();
  };
  return { ...fixture, proxy, visitor, stop };
}
