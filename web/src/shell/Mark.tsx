import { Group, Text } from '@mantine/core';

/** The name and its sign. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <Group gap={10} wrap="nowrap">
      <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="#0d5c63" />
        <path
          d="M10 23V9h7.2a4.4 4.4 0 0 1 1.5 8.5L22.5 23"
          fill="none"
          stroke="#fff"
          strokeWidth="2.8"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
        <circle cx="15.2" cy="17.6" r="1.9" fill="#f2b84b" />
      </svg>
      <Text fw={650} fz={size * 0.62} style={{ letterSpacing: '-0.02em' }}>
        Reeve
      </Text>
    </Group>
  );
}
