import { TagsInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useChannelNames } from '../../../api/channel-types';
import { cronNote } from '../../../display/schedules';
import type { Report } from './queries';

/** Schedule and receivers of a report, as its form holds them. */
export interface DeliveryValues {
  schedule: { cron: string; time_zone: string };
  channels: string[];
  recipients: string[];
}

export function deliveryValues(report?: Report): DeliveryValues {
  const { schedule, channels, recipients } = report ?? {};
  return {
    schedule: { cron: schedule?.cron ?? '', time_zone: schedule?.time_zone ?? '' },
    channels: channels ?? [],
    recipients: recipients ?? [],
  };
}

/** The schedule as it is sent: none without a pattern, the workspace's time zone where none is named. */
export function scheduleOf({ cron, time_zone: zone }: DeliveryValues['schedule']) {
  return cron.trim() === '' ? null : { cron, time_zone: zone.trim() || null };
}

/** Fields that say when a report runs by itself and who receives it. */
export function Delivery<Values extends DeliveryValues>({
  form,
}: {
  form: UseFormReturnType<Values>;
}) {
  return (
    <>
      <TextInput
        label="Schedule"
        description={cronNote(
          form.values.schedule.cron,
          'Minute, hour, day, month, weekday; empty to run when requested',
        )}
        placeholder="0 6 1 * *"
        {...form.getInputProps('schedule.cron')}
      />
      <TextInput
        label="Time zone"
        description="Of the schedule; empty for the workspace's"
        {...form.getInputProps('schedule.time_zone')}
      />
      <TagsInput
        label="Channels"
        description="A type, or the name of one channel"
        data={useChannelNames()}
        {...form.getInputProps('channels')}
      />
      <TagsInput
        label="E-mail recipients"
        description="In place of the channel's own"
        {...form.getInputProps('recipients')}
      />
    </>
  );
}
