import { expect, test } from 'vitest';
import { ports, side } from './flow-words';

test('ports are told as people write them', () => {
  expect(ports({ protocol: 'tcp', from_port: 443, to_port: 443 })).toBe('tcp 443');
  expect(ports({ protocol: 'udp', from_port: 1024, to_port: 2048 })).toBe('udp 1024-2048');
  expect(ports({ protocol: 'tcp', from_port: 0, to_port: 65535 })).toBe('tcp, every port');
  expect(ports({ protocol: 'icmp', from_port: 0, to_port: 65535 })).toBe('icmp');
  expect(ports({ protocol: 'all', from_port: 0, to_port: 65535 })).toBe('all traffic');
});

test('a peer is told with its side', () => {
  expect(side('ingress', '10.0.0.0/8')).toBe('from 10.0.0.0/8');
  expect(side('egress', 'sg-1')).toBe('to sg-1');
});
