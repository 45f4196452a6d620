import { resolve } from "node:path";
import { isIPv4, isIPv6 } from "node:net";
import { Client, credentials, Metadata, type ChannelCredentials, type ChannelOptions } from "@grpc/grpc-js";
import { SallyportError } from "./sallyport-error.ts";
import type { Transport } from "./wire-method.ts";

/** TLS material, PEM. */
export interface TlsOptions {
  /** Certificates to trust; absent: the system's. */
  readonly ca?: Uint8Array;
  /** The client's own certificate chain and key, for mutual TLS. */
  readonly cert?: Uint8Array;
  readonly key?: Uint8Array;
  /** Name that the server's certificate must carry, where it is not the address's host. */
  readonly serverName?: string;
}

/** Where the server is and who calls. Exactly one of `socket` and `address`. */
export interface ConnectionOptions {
  /** Path of the server's unix socket. */
  readonly socket?: string;
  /** `host:port`; an IPv6 address in brackets. Off the loopback the connection always uses TLS. */
  readonly address?: string;
  /** Bearer token of an agent. */
  readonly token?: string;
  /** TLS also on the loopback, and its material. */
  readonly tls?: TlsOptions;
}

// sun_path of unix(7) holds 108 bytes with its NUL.
const maxSocketPathBytes = 107;
const windowBytes = 1024 * 1024;
// RunToEnd returns 4 MiB of output beside its other fields, so grpc's default limit of 4 MiB is too small.
const maxMessageBytes = 16 * 1024 * 1024;
const tokenShape = /^[A-Za-z0-9._~+/=-]{1,4096}$/;

/** Makes the channel; it connects with the first call. @throws SallyportError `invalid_argument` naming the option */
export function connect(options: ConnectionOptions): Transport & { close(): void } {
  const { target, secure, extra } = whereTo(options);
  const { token } = options;
  if (token !== undefined && !tokenShape.test(token)) throw bad("token", "is not a bearer token");
  const channel = new Client(target, secure, {
    "grpc-node.flow_control_window": windowBytes,
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
    // A command must not run twice because a connection broke: no retries, and no buffer kept for them.
    "grpc.enable_retries": 0,
    "grpc.enable_http_proxy": 0,
    "grpc.use_local_subchannel_pool": 1,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 2000,
    "grpc.client_idle_timeout_ms": 2 ** 31 - 1,
    ...extra,
  });
  return {
    channel,
    metadata() {
      const metadata = new Metadata();
      if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
      return metadata;
    },
    close: () => channel.close(),
  };
}

interface Place {
  readonly target: string;
  readonly secure: ChannelCredentials;
  readonly extra: ChannelOptions;
}

function whereTo(options: ConnectionOptions): Place {
  const { socket, address, tls } = options;
  if (socket !== undefined && address !== undefined) throw bad("address", "give a socket or an address, not both");
  if (socket !== undefined) return socketPlace(socket);
  if (address === undefined) throw bad("socket", "give a socket or an address");
  const { host, target } = parseAddress(address);
  const useTls = tls !== undefined || !isLoopback(host);
  return {
    target,
    secure: useTls ? tlsCredentials(tls ?? {}) : credentials.createInsecure(),
    extra: {
      // A peer that vanished without a reset is noticed; over a unix socket that cannot happen.
      "grpc.keepalive_time_ms": 60_000,
      "grpc.keepalive_timeout_ms": 20_000,
      ...(tls?.serverName === undefined ? {} : { "grpc.ssl_target_name_override": tls.serverName }),
    },
  };
}

function socketPlace(socket: string): Place {
  const path = resolve(socket);
  if (socket === "" || path.includes("\0")) throw bad("socket", "is not a path");
  if (Buffer.byteLength(path) > maxSocketPathBytes)
    throw bad("socket", `the path is longer than ${maxSocketPathBytes} bytes, which unix sockets do not allow`);
  return { target: `unix:${path}`, secure: credentials.createInsecure(), extra: {} };
}

function parseAddress(address: string): { host: string; target: string } {
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+)):([0-9]{1,5})$/.exec(address);
  const host = found?.[1] ?? found?.[2] ?? "";
  const port = Number(found?.[3]);
  const valid = found !== null && port >= 1 && port <= 65535 && (found[1] === undefined || isIPv6(host));
  if (!valid) throw bad("address", "must be host:port, an IPv6 address in brackets");
  return {
    host,
    target: isIPv4(host) ? `ipv4:${address}` : found[1] === undefined ? `dns:${address}` : `ipv6:${address}`,
  };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

function tlsCredentials(tls: TlsOptions): ChannelCredentials {
  const { ca, cert, key } = tls;
  if ((cert === undefined) !== (key === undefined)) throw bad("tls", "a certificate and its key go together");
  try {
    return credentials.createSsl(asBuffer(ca), asBuffer(key), asBuffer(cert));
  } catch (error) {
    throw new SallyportError("invalid_argument", "tls: certificates or key cannot be read", {
      field: "tls",
      cause: error,
    });
  }
}

function asBuffer(bytes: Uint8Array | undefined): Buffer | null {
  return bytes === undefined ? null : Buffer.from(bytes);
}

function bad(field: string, reason: string): SallyportError {
  return new SallyportError("invalid_argument", `${field}: ${reason}`, { field });
}
