import { Gauge, type Registry } from "prom-client";
import { type Part, reportPart } from "./part.ts";

type Services = Map<string, readonly Part[]>;

/** Services of one process share its registry. */
const servicesOf = new WeakMap<Registry, Services>();

/** Registers the gauge of parts that work; `/readyz` gives the reasons of others. Parts report when the metrics are read. */
export function observeParts(registry: Registry, service: string, parts: readonly Part[]): void {
  const services = servicesOf.get(registry) ?? register(registry);
  services.set(
    service,
    parts.filter(({ problems, notices }) => problems !== undefined || notices !== undefined),
  );
}

function register(registry: Registry): Services {
  const services: Services = new Map();
  servicesOf.set(registry, services);
  void new Gauge({
    name: "gatehouse_part_healthy",
    help: "1 where a part of a service, such as its database or its spill folder, reports no problem.",
    labelNames: ["service", "part"],
    registers: [registry],
    async collect() {
      const asked = [...services].flatMap(([service, parts]) => parts.map((part) => ({ service, part })));
      await Promise.all(
        asked.map(async ({ service, part }) => {
          const { problems, notices } = await reportPart(part);
          this.set({ service, part: part.name }, problems.length + notices.length === 0 ? 1 : 0);
        }),
      );
    },
  });
  return services;
}
