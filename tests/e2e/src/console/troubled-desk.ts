import { type ConsoleDesk, openDesk } from "./console-desk.ts";
import { TroubledProxy } from "./troubled-proxy.ts";

/** A product in use, and somebody who works at it through a proxy that can make trouble. */
export interface TroubledDesk extends ConsoleDesk {
  readonly proxy: TroubledProxy;
}

export async function openTroubledDesk(chromiumPath: string): Promise<TroubledDesk> {
  const desk = await openDesk(chromiumPath);
  const proxy = await TroubledProxy.start(desk.product.url);
  const visitor = await desk.visitor.openStranger(proxy.url);
  // A form that is left half typed asks; these visits leave it.
  visitor.page.on("dialog", (question) => void question.accept());
  await visitor.page.goto("/console");
  await visitor.signIn(desk.product.adminKey);
  const stop = async () => {
    await visitor.leave();
    proxy.stop();
    await desk.stop();
  };
  return { ...desk, proxy, visitor, stop };
}
