import { Anchor, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDocumentTitle } from '@mantine/hooks';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useSignIn } from '../../api/session';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Mark } from '../../shell/Mark';
import { SchemeToggle } from '../../shell/SchemeToggle';
import classes from './SignIn.module.css';

const route = getRouteApi('/sign-in');

export function SignIn() {
  useDocumentTitle('Sign in · Reeve');
  const [withToken, setWithToken] = useState(false);
  const { next } = route.useSearch();
  const router = useRouter();
  const signIn = useSignIn();
  const form = useForm({
    initialValues: { email: '', password: '', token: '' },
    validate: {
      email: (value) => (!withToken && !value.includes('@') ? 'Enter your e-mail address' : null),
      password: (value) => (!withToken && value === '' ? 'Enter your password' : null),
      token: (value) => (withToken && value.trim() === '' ? 'Paste an API token' : null),
    },
  });
  const submit = form.onSubmit(({ email, password, token }) => {
    signIn.mutate(withToken ? { token: token.trim() } : { email: email.trim(), password }, {
      onSuccess: () =>
        router.history.push(next?.startsWith('/') && !next.startsWith('//') ? next : '/'),
    });
  });
  const swap = () => {
    setWithToken(!withToken);
    signIn.reset();
    form.clearErrors();
  };
  return (
    <main className={classes.page}>
      <div className={classes.scheme}>
        <SchemeToggle />
      </div>
      <section className={classes.side} aria-hidden="true">
        <div className={classes.lines} />
        <div className={classes.promise}>
          <p className={classes.lead}>Cut cloud cost safely, and prove every change.</p>
          <ul>
            <li>Agents that recommend, explain, and act within your guardrails.</li>
            <li>An audit log that cannot be changed unnoticed.</li>
            <li>Proofs that anyone can verify offline.</li>
          </ul>
        </div>
      </section>
      <section className={classes.form}>
        <Paper
          component="form"
          onSubmit={submit}
          w="100%"
          maw={380}
          bg="transparent"
          noValidate
          aria-label="Sign in"
        >
          <Stack gap="md">
            <Mark size={34} />
            <div>
              <Title order={1}>Sign in</Title>
              <Text className="muted" mt={4}>
                {withToken ? 'With an API token.' : 'With your e-mail address and password.'}
              </Text>
            </div>
            <ProblemAlert error={signIn.error} />
            {withToken ? (
              <PasswordInput
                label="API token"
                autoComplete="off"
                autoFocus
                size="md"
                {...form.getInputProps('token')}
              />
            ) : (
              <>
                <TextInput
                  label="E-mail address"
                  type="email"
                  autoComplete="username"
                  autoFocus
                  size="md"
                  {...form.getInputProps('email')}
                />
                <PasswordInput
                  label="Password"
                  autoComplete="current-password"
                  size="md"
                  {...form.getInputProps('password')}
                />
              </>
            )}
            <Button type="submit" size="md" fullWidth loading={signIn.isPending}>
              Sign in
            </Button>
            <Anchor component="button" type="button" size="sm" onClick={swap} ta="center">
              {withToken ? 'Use e-mail address and password' : 'Use an API token instead'}
            </Anchor>
          </Stack>
        </Paper>
      </section>
    </main>
  );
}
