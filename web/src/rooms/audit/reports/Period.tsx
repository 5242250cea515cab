import { Select, SimpleGrid, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';

const PERIODS = [
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
  { value: '365d', label: 'Last 365 days' },
  { value: 'previous_week', label: 'Previous week' },
  { value: 'previous_month', label: 'Previous month' },
  { value: 'previous_quarter', label: 'Previous quarter' },
  { value: 'previous_year', label: 'Previous year' },
  { value: 'between', label: 'Between two times' },
];

export interface PeriodValues {
  period: string;
  start_time: string;
  end_time: string;
}

/** The period as the service takes it. */
export function periodOf({ period, start_time, end_time }: PeriodValues) {
  return period === 'between' ? { start_time, end_time } : { period };
}

/** The period of a kept report, as the form shows it. */
export function periodValues(from?: {
  period?: string | null;
  start_time?: string | null;
  end_time?: string | null;
}): PeriodValues {
  if (!from) return { period: '30d', start_time: '', end_time: '' };
  return {
    period: from.period ?? 'between',
    start_time: from.start_time ?? '',
    end_time: from.end_time ?? '',
  };
}

/** Chooses a period: a length, a calendar span, or two times. */
export function Period<Values extends PeriodValues>({ form }: { form: UseFormReturnType<Values> }) {
  const chosen = form.values.period;
  const known = PERIODS.some(({ value }) => value === chosen)
    ? PERIODS
    : [...PERIODS, { value: chosen, label: chosen }];
  return (
    <>
      <Select label="Period" data={known} allowDeselect={false} {...form.getInputProps('period')} />
      {chosen === 'between' && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="From"
            placeholder="2026-11-01T00:00:00Z"
            {...form.getInputProps('start_time')}
          />
          <TextInput
            label="To"
            placeholder="2026-12-01T00:00:00Z"
            {...form.getInputProps('end_time')}
          />
        </SimpleGrid>
      )}
    </>
  );
}
