import {
  Alert,
  Button,
  Divider,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Agent, Recommendation } from '../../../api/bodies';
import { fieldMessages } from '../../../api/problem';
import { percentOf } from '../../../api/quantities';
import { announce } from '../../../display/announce';
import { percent, plural } from '../../../display/amounts';
import { DurationInput } from '../../../display/DurationInput';
import { DialogForm, FormModal } from '../../../display/FormDialog';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { options, words } from '../../../display/wording';
import { agentsQuery, recommendationsQuery, useChange } from '../queries';
import { sharesOf, splitOf } from './course';
import { beginRollout } from './queries';

const FIELDS = [
  'agent_id',
  'type',
  'name',
  'recommendations',
  'canary',
  'validation_s',
  'shares',
  'max_failures',
  'min_confidence',
];

interface Props {
  type?: string;
  onClose: () => void;
}

/** What goes out, and how carefully. */
export function RolloutForm({ type, onClose }: Props) {
  const agents = useQuery(agentsQuery);
  const open = useQuery(recommendationsQuery({ status: 'open' }));
  const error = agents.error ?? open.error;
  return (
    <FormModal onClose={onClose} size="lg" title="Start a rollout">
      {error && <ProblemAlert error={error} />}
      {!error && (!agents.data || !open.data) && <Skeleton h={320} />}
      {agents.data && open.data && (
        <Fields
          agents={agents.data.items}
          open={open.data.items.filter(({ plan }) => plan)}
          type={type}
          onClose={onClose}
        />
      )}
    </FormModal>
  );
}

function Fields({
  agents,
  open,
  type,
  onClose,
}: Props & { agents: Agent[]; open: Recommendation[] }) {
  const acting = agents.filter(
    ({ id, mode }) => mode !== 'learning' && open.some(({ agent_id }) => agent_id === id),
  );
  const first =
    acting.find(({ id }) =>
      open.some((one) => one.agent_id === id && (!type || one.kind === type)),
    ) ?? acting[0];
  if (!first) return <Nothing learning={open.length > 0} onClose={onClose} />;
  return <Filled agents={acting} first={first} open={open} type={type} onClose={onClose} />;
}

function Nothing({ learning, onClose }: { learning: boolean; onClose: () => void }) {
  return (
    <Stack>
      <Alert color="gray" variant="light" title="Nothing to roll out">
        {learning
          ? 'All agents with recommendations are in learning mode. Switch one to safe mode or active under Agents.'
          : 'A rollout needs open recommendations with a plan. Run an agent to create some.'}
      </Alert>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  );
}

function Filled({
  agents,
  first,
  open,
  type,
  onClose,
}: Props & { agents: Agent[]; first: Agent; open: Recommendation[] }) {
  const navigate = useNavigate();
  const begin = useChange(beginRollout);
  const typesOf = (agent: string): string[] => [
    ...new Set(open.filter(({ agent_id }) => agent_id === agent).map((one) => one.kind)),
  ];
  const form = useForm({
    initialValues: {
      agent_id: first.id,
      type: type && typesOf(first.id).includes(type) ? type : (typesOf(first.id)[0] ?? ''),
      name: '',
      recommendations: [] as string[],
      canary: 1,
      validation_s: 86_400,
      shares: '10, 25, 50',
      max_failures: 0,
      min_confidence: '' as number | '',
    },
    validate: {
      shares: (value) =>
        sharesOf(value) ? null : 'Give percentages that rise, such as 10, 25, 50',
    },
  });
  const { values } = form;
  const fitting = open.filter(
    (one) => one.agent_id === values.agent_id && one.kind === values.type,
  );
  const least =
    values.min_confidence === ''
      ? percentOf(agents.find(({ id }) => id === values.agent_id)?.confidence_threshold ?? '0%')
      : values.min_confidence;
  const chosen = fitting.filter(
    ({ id }) => values.recommendations.length === 0 || values.recommendations.includes(id),
  );
  const sure = chosen.filter(({ confidence }) => confidence >= least).length;
  const submit = form.onSubmit(
    ({ name, validation_s, shares, min_confidence, canary, max_failures, ...rest }) =>
      begin.mutate(
        {
          ...rest,
          name: name.trim() || null,
          settings: {
            canary,
            max_failures,
            validation_s,
            shares: sharesOf(shares) ?? [],
            min_confidence: min_confidence === '' ? null : min_confidence,
          },
        },
        {
          onSuccess: ({ id }) => {
            announce('Rollout started.');
            onClose();
            void navigate({ to: '/intelligence/rollouts/$id', params: { id } });
          },
          onError: (error) => form.setErrors(fieldMessages(error)),
        },
      ),
  );
  const choose = (agent_id: string | null) => {
    if (!agent_id) return;
    form.setValues({
      agent_id,
      recommendations: [],
      type: typesOf(agent_id).includes(values.type) ? values.type : (typesOf(agent_id)[0] ?? ''),
    });
  };
  return (
    <DialogForm
      explain="Applies one kind of change in stages. Guardrails and approvals still apply to each change."
      submit="Start with the simulation"
      error={begin.error}
      marked={FIELDS}
      pending={begin.isPending}
      disabled={sure === 0}
      onSubmit={submit}
      onClose={onClose}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label="Agent"
          allowDeselect={false}
          data={agents.map(({ id, name }) => ({ value: id, label: name }))}
          {...form.getInputProps('agent_id')}
          onChange={choose}
        />
        <Select
          label="Kind of change"
          allowDeselect={false}
          data={options(typesOf(values.agent_id))}
          {...form.getInputProps('type')}
          onChange={(kind) => form.setValues({ type: kind ?? values.type, recommendations: [] })}
        />
      </SimpleGrid>
      <MultiSelect
        label="Recommendations"
        placeholder={
          values.recommendations.length ? undefined : `All ${fitting.length} that are open`
        }
        description="Choose some, or leave it empty for all"
        searchable
        clearable
        hidePickedOptions
        maxDropdownHeight={240}
        data={fitting.map((one) => ({
          value: one.id,
          label: `${one.resource.name}: ${one.title}`,
        }))}
        {...form.getInputProps('recommendations')}
      />
      <TextInput
        label="Name"
        description="Empty: what the change does, and to how many"
        placeholder="Resize 12 virtual machines"
        maxLength={200}
        {...form.getInputProps('name')}
      />
      <Divider label="Safety" labelPosition="left" />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NumberInput
          label="Canary"
          description="Number of resources to change first, least critical first"
          min={1}
          max={20}
          allowDecimal={false}
          {...form.getInputProps('canary')}
        />
        <DurationInput
          label="Watched for"
          description="Observation time before the next stage"
          unit="seconds"
          units={['hours', 'days']}
          max={720 * 3600}
          {...form.getInputProps('validation_s')}
        />
        <TextInput
          label="Stages"
          description="Percentages that rise; empty: all at once"
          {...form.getInputProps('shares')}
        />
        <NumberInput
          label="Failures allowed"
          description="The rollout pauses after one more than this"
          min={0}
          max={100}
          allowDecimal={false}
          {...form.getInputProps('max_failures')}
        />
        <NumberInput
          label="Minimum confidence"
          description="Recommendations below it are skipped"
          placeholder="The agent's threshold"
          min={0}
          max={100}
          suffix=" %"
          {...form.getInputProps('min_confidence')}
        />
      </SimpleGrid>
      <GoesOut sure={sure} left={chosen.length - sure} least={least} values={values} />
    </DialogForm>
  );
}

/** In which portions it goes out, as the settings stand. */
function GoesOut({
  sure,
  left,
  least,
  values,
}: {
  sure: number;
  left: number;
  least: number;
  values: { type: string; canary: number; shares: string };
}) {
  const portions = splitOf(sure, values.canary, sharesOf(values.shares) ?? []);
  return (
    <Alert
      color={sure ? 'petrol' : 'yellow'}
      variant="light"
      title={
        sure
          ? `${words(values.type)} on ${plural(sure, 'resource')}`
          : 'No recommendation qualifies'
      }
      role="status"
    >
      <Text size="sm">
        {portions.length > 0 &&
          `All are simulated, then they change in portions of ${portions.join(', ')}. `}
        {left > 0 &&
          `${plural(left, 'recommendation')} less confident than ${percent(least)} ${left === 1 ? 'is' : 'are'} left out.`}
      </Text>
    </Alert>
  );
}
