/*
 * What the tests have jobs do, and what they ask the system about them: worker.exe MODE [ARGUMENT...].
 * Each mode says below what it is for.
 */
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>

static void say(const wchar_t *text)
{
    char bytes[32768];
    WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes, sizeof bytes, NULL, NULL);
    fputs(bytes, stdout);
}

static DWORD number(const wchar_t *text)
{
    return (DWORD)_wcstoui64(text, NULL, 10);
}

static void nap(const wchar_t *seconds)
{
    Sleep(1000 * number(seconds));
}

/* Start this program again; its pid. */
static DWORD again(const wchar_t *mode, const wchar_t *seconds, DWORD flags)
{
    wchar_t self[MAX_PATH], line[1024];
    STARTUPINFOW startup = {sizeof startup};
    PROCESS_INFORMATION made;
    GetModuleFileNameW(NULL, self, MAX_PATH);
    _snwprintf(line, 1024, L"\"%ls\" %ls %ls", self, mode, seconds);
    if (!CreateProcessW(self, line, NULL, NULL, TRUE, flags, NULL, NULL, &startup, &made)) {
        printf("spawn failed %lu\n", GetLastError());
        return 0;
    }
    return made.dwProcessId;
}

static BOOL is_worker(DWORD pid)
{
    wchar_t self[MAX_PATH], image[MAX_PATH];
    DWORD length = MAX_PATH;
    HANDLE process = OpenProcess(SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    GetModuleFileNameW(NULL, self, MAX_PATH);
    return process != NULL && WaitForSingleObject(process, 0) == WAIT_TIMEOUT &&
           QueryFullProcessImageNameW(process, 0, image, &length) && !_wcsicmp(image, self);
}

/* Run the command line after the third word in a job object that kills when it is closed; its exit code. */
static int inside(BOOL lets_go)
{
    wchar_t *line = GetCommandLineW();
    HANDLE job = CreateJobObjectW(NULL, NULL);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    STARTUPINFOW startup = {sizeof startup};
    PROCESS_INFORMATION made;
    DWORD code = 9;
    limits.BasicLimitInformation.LimitFlags =
        JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | (lets_go ? JOB_OBJECT_LIMIT_BREAKAWAY_OK : 0);
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    line = wcsstr(line, L" :: ") + 4;
    startup.dwFlags = STARTF_USESTDHANDLES;
    startup.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
    startup.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
    startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &startup, &made)) {
        printf("spawn failed %lu\n", GetLastError());
        return 9;
    }
    AssignProcessToJobObject(job, made.hProcess);
    ResumeThread(made.hThread);
    WaitForSingleObject(made.hProcess, INFINITE);
    GetExitCodeProcess(made.hProcess, &code);
    CloseHandle(job);
    return (int)code;
}

static HANDLE open_file(const wchar_t *path)
{
    return CreateFileW(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                       NULL, OPEN_ALWAYS, 0, NULL);
}

/* Whether the kernel lock on a file could be had now. */
static BOOL lock(HANDLE file)
{
    OVERLAPPED whole = {0};
    return LockFileEx(file, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 0xffffffff, 0xffffffff, &whole);
}

int wmain(int count, wchar_t **words)
{
    const wchar_t *mode = count > 1 ? words[1] : L"";
    const wchar_t *first = count > 2 ? words[2] : L"0";
    setvbuf(stdout, NULL, _IONBF, 0);

    /* Under another name, as a program that jig calls with words of its own. */
    if (_wgetenv(L"WORKER_MODE") != NULL) {
        mode = _wgetenv(L"WORKER_MODE");
        first = _wgetenv(L"WORKER_ARGUMENT");
    }
    /* args WORD...: what of the command line arrived. */
    if (!wcscmp(mode, L"args")) {
        for (int index = 2; index < count; index++) {
            printf("[%d]<", index - 1);
            say(words[index]);
            printf(">\n");
        }
        return 0;
    }
    /* sleep SECONDS */
    if (!wcscmp(mode, L"sleep")) {
        printf("pid %lu\n", GetCurrentProcessId());
        nap(first);
        return 0;
    }
    /* spawn SECONDS: with a child; spawnexit: ends, and the child stays; breakaway: the child leaves our job object. */
    if (!wcscmp(mode, L"spawn") || !wcscmp(mode, L"spawnexit") || !wcscmp(mode, L"breakaway")) {
        DWORD child = again(L"sleep", first, !wcscmp(mode, L"breakaway") ? CREATE_BREAKAWAY_FROM_JOB : 0);
        printf("me %lu child %lu\n", GetCurrentProcessId(), child);
        if (!wcscmp(mode, L"spawnexit"))
            return 0;
        nap(first);
        return 0;
    }
    /* grand SECONDS: with a grandchild whose parent has ended. */
    if (!wcscmp(mode, L"grand")) {
        DWORD child = again(L"spawnexit", first, 0);
        printf("me %lu mid %lu\n", GetCurrentProcessId(), child);
        nap(first);
        return 0;
    }
    /* drip LINES: one in 200 ms. */
    if (!wcscmp(mode, L"drip")) {
        for (DWORD line = 0; line < number(first); line++) {
            printf("line %lu\n", line);
            Sleep(200);
        }
        return 0;
    }
    /* exit CODE: any 32 bits. */
    if (!wcscmp(mode, L"exit"))
        ExitProcess(number(first));
    /* abort: as after an access violation. */
    if (!wcscmp(mode, L"abort"))
        TerminateProcess(GetCurrentProcess(), 0xC0000005);
    /* write FILE LINES */
    if (!wcscmp(mode, L"write")) {
        DWORD written;
        HANDLE file = CreateFileW(first, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
        for (DWORD line = 0; line < number(words[3]); line++)
            WriteFile(file, "{\"a\":1}\n", 8, &written, NULL);
        CloseHandle(file);
        return file == INVALID_HANDLE_VALUE;
    }
    /* injob: whether we are in a job object, its limits, and whether we have a console and a window of it. */
    if (!wcscmp(mode, L"injob")) {
        BOOL is_member = FALSE;
        DWORD pids[4];
        JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
        IsProcessInJob(GetCurrentProcess(), NULL, &is_member);
        QueryInformationJobObject(NULL, JobObjectExtendedLimitInformation, &limits, sizeof limits, NULL);
        printf("injob %d flags %lx console %d window %d\n", is_member, limits.BasicLimitInformation.LimitFlags,
               GetConsoleProcessList(pids, 4) > 0, GetConsoleWindow() != NULL);
        return 0;
    }
    /* member JOB PID: whether a process is in the job object of this name. */
    if (!wcscmp(mode, L"member")) {
        BOOL is_member = FALSE;
        HANDLE job = OpenJobObjectW(JOB_OBJECT_QUERY, FALSE, first);
        HANDLE process = OpenProcess(PROCESS_QUERY_INFORMATION, FALSE, number(words[3]));
        IsProcessInJob(process, job, &is_member);
        puts(job == NULL ? "no such job" : is_member ? "member" : "stranger");
        return 0;
    }
    /* alive PID...: which of our own processes run; a number given to another program in the meantime counts as gone. */
    if (!wcscmp(mode, L"alive")) {
        for (int index = 2; index < count; index++)
            puts(is_worker(number(words[index])) ? "alive" : "gone");
        return 0;
    }
    /* kill PID: that process alone. */
    if (!wcscmp(mode, L"kill"))
        return !TerminateProcess(OpenProcess(PROCESS_TERMINATE, FALSE, number(first)), 1);
    /* hold FILE SECONDS: with its kernel lock; probe FILE: whether it could be had. */
    if (!wcscmp(mode, L"hold") || !wcscmp(mode, L"probe")) {
        puts(lock(open_file(first)) ? "locked" : "refused");
        if (!wcscmp(mode, L"hold"))
            nap(words[3]);
        return 0;
    }
    /* caged :: PROGRAM...: in a job object as an agent's tools are; fenced ::, in one that lets nobody leave. */
    if (!wcscmp(mode, L"caged") || !wcscmp(mode, L"fenced"))
        return inside(!wcscmp(mode, L"caged"));
    if (!wcscmp(mode, L"env")) {
        for (wchar_t *entry = GetEnvironmentStringsW(); *entry; entry += wcslen(entry) + 1) {
            say(entry);
            puts("");
        }
        return 0;
    }
    if (!wcscmp(mode, L"cmdline")) {
        say(GetCommandLineW());
        puts("");
        return 0;
    }
    if (!wcscmp(mode, L"stdin")) {
        int letter = getchar();
        printf("stdin %d type %lu\n", letter, GetFileType(GetStdHandle(STD_INPUT_HANDLE)));
        return 0;
    }
    printf("? %d\n", count);
    return 9;
}
