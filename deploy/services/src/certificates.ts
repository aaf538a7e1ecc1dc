import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "@gatehouse/config";
import { initCertificates, keyFiles } from "@gatehouse/keys";
import type { ServiceName } from "@gatehouse/trust";

/** Certificates of one run, in files that only this user may read. */
export interface RunCertificates {
  /** Path for the broker's configuration. */
  readonly brokerFolder: string;
  /** Authority of this run, PEM. */
  readonly authority: string;
  env(service: ServiceName): Environment;
}

const loopback = ["127.0.0.1"];
const secretMode = 0o700;

/** Creates an authority, and certificates for each service and the broker, in the data folder; replaces those of an earlier run. */
export async function makeRunCertificates(home: string): Promise<RunCertificates> {
  const folder = join(home, "services", "tls");
  await mkdir(folder, { recursive: true, mode: secretMode });
  await initCertificates(folder, { nats: loopback, postgres: loopback }, Date.now());
  const authorities = join(folder, keyFiles.authorities);
  return {
    brokerFolder: join(folder, "nats"),
    authority: readFileSync(authorities, "utf8"),
    env: (service) => ({
      GATEHOUSE_TLS_CERTIFICATE_FILE: join(folder, service, keyFiles.tlsCertificate),
      GATEHOUSE_TLS_KEY_FILE: join(folder, service, keyFiles.tlsKey),
      GATEHOUSE_TLS_CA_FILE: authorities,
    }),
  };
}
