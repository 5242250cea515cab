import { Alert, Divider, SimpleGrid, Skeleton, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { TrafficIntelligence } from '../../../api/bodies';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { DialogForm, FormModal } from '../../../display/FormDialog';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { useChange } from '../queries';
import { setTraffic, trafficQuery } from './queries';
import { asTraffic, trafficFields, type TrafficFields } from './traffic-fields';

interface Props {
  locked: boolean;
  onClose: () => void;
}

/** What forecasts of traffic learn from, and how long before a peak they prepare. */
export function TrafficDialog({ locked, onClose }: Props) {
  const { data, error, refetch } = useQuery(trafficQuery);
  return (
    <FormModal onClose={onClose} size="lg" title="Traffic intelligence">
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h={320} />}
      {data && <Settings key={JSON.stringify(data)} of={data} locked={locked} onClose={onClose} />}
    </FormModal>
  );
}

function Settings({ of: traffic, locked, onClose }: { of: TrafficIntelligence } & Props) {
  const save = useChange(setTraffic);
  const form = useForm<TrafficFields>({ initialValues: trafficFields(traffic) });
  const submit = form.onSubmit((values) =>
    save.mutate(asTraffic(values, traffic.version), {
      onSuccess: () => {
        announce('Traffic intelligence saved.');
        onClose();
      },
      onError: (error) => form.setErrors(fieldMessages(error)),
    }),
  );
  const lead = (
    name: 'pre_scale' | 'warm_cache' | 'prepare_failover',
    label: string,
    before: string,
  ) => (
    <TextInput
      label={label}
      description={`Time before ${before}, such as 15m; empty is off`}
      placeholder="Off"
      readOnly={locked}
      {...form.getInputProps(name)}
    />
  );
  return (
    <DialogForm
      submit={locked ? undefined : 'Save'}
      error={save.error}
      marked={['pre_scale', 'warm_cache', 'prepare_failover']}
      pending={save.isPending}
      disabled={!form.isDirty()}
      onSubmit={submit}
      onClose={onClose}
    >
      {locked && (
        <Alert color="gray" variant="light">
          Read-only. Only operators and administrators can change this.
        </Alert>
      )}
      <Divider label="Forecasts of peaks" labelPosition="left" />
      <Switch
        label="Learn patterns"
        description="From the past of each metric. Off: use only calendar events"
        disabled={locked}
        {...form.getInputProps('learn_patterns', { type: 'checkbox' })}
      />
      <Switch
        label="Seasonal adjustments"
        description="Days, weeks and years of a metric are part of its forecast"
        disabled={locked}
        {...form.getInputProps('seasonal_adjustments', { type: 'checkbox' })}
      />
      <Switch
        label="Event awareness"
        description="Events of the calendars are part of the forecast"
        disabled={locked}
        {...form.getInputProps('event_awareness', { type: 'checkbox' })}
      />
      <Divider label="Preparations" labelPosition="left" />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {lead('pre_scale', 'Add capacity', 'a traffic spike')}
        {lead('warm_cache', 'Warm caches', 'high traffic')}
        {lead('prepare_failover', 'Prepare failover', 'a maintenance window')}
      </SimpleGrid>
    </DialogForm>
  );
}
