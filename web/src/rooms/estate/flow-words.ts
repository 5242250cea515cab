// Words of network flows.

/** Kinds whose network interfaces have flows. */
export const WITH_FLOWS = ['network_interface', 'security_group', 'virtual_machine', 'subnet'];

const DIRECTIONS: Record<string, string> = { ingress: 'from', egress: 'to' };

interface Ports {
  protocol: string;
  from_port: number;
  to_port: number;
}

/** Protocol with its ports: `tcp 443`, `udp 1024-2048`, `icmp`, `all traffic`. */
export function ports({ protocol, from_port: from, to_port: to }: Ports): string {
  if (protocol === 'all') return 'all traffic';
  if (!['tcp', 'udp'].includes(protocol)) return protocol;
  if (from === 0 && to === 65535) return `${protocol}, every port`;
  return from === to ? `${protocol} ${from}` : `${protocol} ${from}-${to}`;
}

/** Peer of a flow with its side: `from 10.0.0.0/8`. */
export function side(direction: string, peer: string): string {
  return `${DIRECTIONS[direction] ?? direction} ${peer}`;
}
